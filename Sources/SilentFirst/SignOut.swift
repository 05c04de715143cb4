import Identity
import TokenCache
import Wire

/// Sign-out in its three parts, told apart: revoked at the provider, removed here, ended in the browser.
struct SignOut {
    let application: PublicClientApplication
    let account: Account
    let userAgents: UserAgents
    let record: TrailRecorder

    private var configuration: PublicClientApplication.Configuration { application.configuration }

    func run() async throws(Failure) -> SignOutOutcome {
        let snapshot: CacheSnapshot
        do { snapshot = try application.cache.read() } catch { throw Failure(error) }
        let mine = snapshot.credentials(clientID: configuration.clientID)
            .filter { $0.homeAccountID == account.homeAccountID && Cloud.isSame($0.environment, account.environment) }
        let lastBreath = mine.filter { $0.kind == .accessToken }.compactMap(\.expiresOn).filter { $0 > application.now() }.max()

        let metadata = await metadata()
        let revoked = await revoke(mine.filter { $0.kind == .refreshToken }, metadata)
        do {
            let count = try application.cache.forget(account.id, clientID: configuration.clientID)
            record.note(.remove, .done, "\(count) entries")
        } catch { throw Failure(error) }
        let (ended, page) = await endSession(mine.first { $0.kind == .idToken }, metadata)
        return SignOutOutcome(revoked: revoked, removed: .done, sessionEnded: ended, endSessionURL: page, accessTokensDieAt: lastBreath)
    }

    /// A refresh token is never shown to another cloud or issuer, not even to be revoked there.
    private func metadata() async -> Result<ProviderMetadata, Failure> {
        guard Aim.belongs(account, to: configuration.authority) else {
            return .failure(
                Failure(
                    .configuration,
                    "this client is set up for \(configuration.authority.environment), the account is of \(account.environment)"))
        }
        do throws(Failure) { return .success(try await application.metadata(of: configuration.authority, record)) } catch {
            return .failure(error)
        }
    }

    /// RFC 7009: the refresh tokens go first, their grant takes the access tokens with it where the provider does so (R5).
    private func revoke(_ tokens: [CachedCredential], _ metadata: Result<ProviderMetadata, Failure>) async -> SignOutOutcome.Part {
        switch metadata {
        case .failure(let failure):
            record.note(.revoke, .failed, failure.message)
            return .failed(failure.message)
        case .success(let metadata):
            guard metadata.revocation != nil else {
                record.note(.revoke, .skipped, "the provider has no revocation endpoint")
                return .notOffered
            }
            guard !tokens.isEmpty else {
                record.note(.revoke, .skipped, "no refresh token to revoke")
                return .notOffered
            }
            var trouble: String?
            for token in tokens {
                do {
                    let outcome = try await SignOutEndpoints.revoke(
                        token.secret, hint: "refresh_token", clientID: configuration.clientID, metadata: metadata,
                        transport: application.provider.transport)
                    if case .refused(let why) = outcome { trouble = why }
                } catch { trouble = error.message }
            }
            if let trouble {
                record.note(.revoke, .failed, trouble)
                return .failed(trouble)
            }
            record.note(.revoke, .done, "\(tokens.count) refresh token\(tokens.count == 1 ? "" : "s")")
            return .done
        }
    }

    private func endSession(_ idToken: CachedCredential?, _ metadata: Result<ProviderMetadata, Failure>)
        async -> (SignOutOutcome.Part, WebAddress?)
    {
        let provider: ProviderMetadata
        switch metadata {
        case .success(let metadata): provider = metadata
        case .failure(let failure): return (.failed(failure.message), nil)
        }
        let hint = account.username.isEmpty ? nil : account.username
        guard
            let page = SignOutEndpoints.endSessionAddress(
                metadata: provider, idTokenHint: idToken?.secret, logoutHint: hint, clientID: configuration.clientID)
        else {
            record.note(.endSession, .skipped, "the provider has no end-session page")
            return (.notOffered, nil)
        }
        do {
            try await userAgents.openBrowser(page)
            record.note(.endSession, .done, "page opened")
            return (.done, page)
        } catch {
            record.note(.endSession, .failed, error.message)
            return (.failed(error.message), page)
        }
    }
}
