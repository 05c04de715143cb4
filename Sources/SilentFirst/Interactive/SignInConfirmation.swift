import Identity
import SilentCore
import TokenCache
import Wire

/// The last step, after a sign-in was saved: accounts that the new one replaces are removed, and the token is only
/// returned if the requested user signed in.
struct SignInConfirmation {
    private let context: ClientContext
    private let request: TokenRequest
    private let record: StepRecorder

    init(_ flow: Interactive) { (context, request, record) = (flow.context, flow.request, flow.record) }

    /// If a different user signed in, keeps that account but does not return its token.
    func confirm(_ token: AcquiredToken) async throws(Failure) {
        let replaced = await replacedAccounts(by: token.account)
        guard let asked = request.account, !asked.isNamesake(of: token.account),
            !asked.id.isSamePerson(as: token.account.id), !replaced.contains(asked)
        else { return }
        let names = token.account.names + asked.names
        record.note(
            .account, .failed, "\(token.account.label) signed in, \(asked.label) was requested", naming: names)
        throw Failure(
            .interactionRequired, "\(token.account.label) signed in, but \(asked.label) was requested",
            hint:
                """
                the new account is saved; choose the right one on the provider's page, or request \
                \(token.account.label)
                """,
            signInProblem: .otherAccount, naming: names)
    }

    /// Removes this client's entries of accounts that were deleted at the provider, and created again as this one.
    ///
    /// - Returns: the removed accounts.
    private func replacedAccounts(by new: Account) async -> [Account] {
        var known: [Account] = []
        do throws(Failure) {
            // B2C's and External ID's usernames may repeat.
            guard try ResolvedRequest.authority(of: request, context.configuration).kind == .aad else { return [] }
            known = try await context.currentSnapshot().accounts(clientID: context.configuration.clientID)
        } catch { record.note(.remove, failed: error) }
        if let asked = request.account, !known.contains(asked) { known.append(asked) }
        var replaced: [Account] = []
        for account in known where account.mayBeReplaced(by: new) {
            guard await hasEnded(account) else { continue }
            do throws(StoreError) {
                _ = try await BlockingExecutor.run { [context] () throws(StoreError) in
                    try context.cache.forget(account.id, clientID: context.configuration.clientID)
                }
                record.note(
                    .remove, .done, "\(account.label) was recreated; its earlier tokens are removed",
                    naming: account.names)
            } catch { record.note(.remove, .failed, error.message) }
            replaced.append(account)
        }
        return replaced
    }

    /// Whether all credentials of an account are invalid: it has no refresh tokens left, or the provider rejects them
    /// permanently. A renamed user still has valid ones, so a new holder of the name is someone else.
    private func hasEnded(_ account: Account) async -> Bool {
        var request = TokenRequest(scopes: request.scopes, account: account)
        request.authority = self.request.authority
        request.forceRefresh = true
        let silent = Silent(context: context, request: request, record: StepRecorder { _ in })
        guard case .failure(let failure) = await silent.acquire(), failure.code == .interactionRequired else {
            return false
        }
        guard let error = failure.oauthError else { return true }
        return failure.suberror == RefreshQueue.accountDeleted
            || OAuthError(
                error: error, suberror: failure.suberror, codes: failure.serverCodes, claims: failure.claims
            ).isOfTheToken
    }
}

extension Account {
    /// Whether another account can be a recreation of this one: another object in the same tenant of Entra ID with the
    /// same username, which is unique there. Excludes personal accounts, which administrators do not create, and what
    /// another tenant says about a guest.
    fileprivate func mayBeReplaced(by new: Account) -> Bool {
        guard issuer == nil, new.issuer == nil, !id.isSamePerson(as: new.id),
            Cloud.isSame(environment, new.environment),
            let tenant = homeTenantID, tenant == new.homeTenantID, tenant != Self.personalTenant,
            [self, new].allSatisfy({ $0.homeAccountID.dropLast(tenant.utf8.count + 1).isGUID }),
            let name = new.usernameAtHome, !name.isEmpty
        else { return false }
        return (usernameAtHome ?? username).asciiLowercased == name.asciiLowercased
    }

    private var usernameAtHome: String? { tenantProfiles.first(where: \.isHome)?.username }
}
