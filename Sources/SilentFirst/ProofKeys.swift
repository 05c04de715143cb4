import FoundationEssentials
import Identity
import TokenCache
import Wire

/// What tokens are bound to: decided before anything is looked up, since a bound token answers for its key alone.
///
/// At Entra ID a request asks for it (MSAL's proof of possession), and refresh tokens stay free. At OpenID Connect providers (DPoP, RFC 9449) the account is
/// bound as a whole: its refresh token is good with its key only (X5), so once there is a key every request of the account goes with it.
struct ProofKeys {
    let application: PublicClientApplication
    private let store: ProofKeyStore

    init(_ application: PublicClientApplication) {
        self.application = application
        store = ProofKeyStore(application.cache)
    }

    private var configuration: PublicClientApplication.Configuration { application.configuration }

    /// What a silent request's tokens are bound to. Without any wish for proofs, and for Entra ID's bearer tokens, no file is opened.
    ///
    /// - Throws: `storeError` when the key cannot be had.
    func binding(for request: TokenRequest, _ account: Account, at authority: Authority) throws(Failure) -> TokenBinding {
        let owner = owner(account.homeAccountID, authority)
        do {
            switch authority.kind {
            case .aad, .b2c, .ciam:
                guard request.proof != nil else { return .bearer }
                return .pop(try ProofKey(try store.key(of: owner) { ProofKey().secret }))
            case .oidc, .adfs:
                guard request.proof != nil || configuration.proofOfPossession else { return .bearer }
                if request.proof == nil {
                    guard let known = try store.key(of: owner) else { return .bearer }
                    return .dpop(try ProofKey(known), application.provider.nonces)
                }
                return .dpop(try ProofKey(try store.key(of: owner) { ProofKey().secret }), application.provider.nonces)
            }
        } catch let error as StoreError { throw Failure(error) } catch let error as WireError { throw Failure(error) } catch {
            throw Failure(.storeError, "the keys beside the store cannot be read")
        }
    }

    /// What an interactive sign-in's tokens are bound to: at OpenID Connect providers a new key, which is kept once it is known whose it is.
    ///
    /// - Throws: `serverError` when proofs are wanted and the provider does not bind tokens to keys.
    func binding(for request: TokenRequest, _ metadata: ProviderMetadata, at authority: Authority) throws(Failure) -> TokenBinding {
        switch authority.kind {
        case .aad, .b2c, .ciam: return request.proof == nil ? .bearer : .pop(ProofKey())
        case .oidc, .adfs:
            if metadata.offersProofs, request.proof != nil || configuration.proofOfPossession {
                return .dpop(ProofKey(), application.provider.nonces)
            }
            try Self.check(metadata, isWanted: request.proof != nil)
            return .bearer
        }
    }

    /// Whether the provider can do what is wanted.
    static func check(_ metadata: ProviderMetadata, isWanted: Bool) throws(Failure) {
        guard isWanted, !metadata.offersProofs else { return }
        throw Failure(.serverError, "the provider does not bind tokens to keys", hint: "ask for a token without proof of possession")
    }

    /// Keeps the key of a sign-in: before the token is stored, which would be lost without it.
    func keep(_ binding: TokenBinding, of homeAccountID: String, at authority: Authority) throws(Failure) {
        let key: ProofKey
        switch binding {
        case .bearer: return
        case .dpop(let made, _), .pop(let made): key = made
        }
        do { try store.keep(key.secret, of: owner(homeAccountID, authority)) } catch { throw Failure(error) }
    }

    private func owner(_ homeAccountID: String, _ authority: Authority) -> ProofKeyOwner {
        ProofKeyOwner(
            environment: Cloud.containing(host: authority.environment)?.preferredNetwork ?? authority.environment,
            issuer: authority.kind == .oidc ? authority.address.path : authority.kind.rawValue, homeAccountID: homeAccountID,
            clientID: configuration.clientID)
    }
}

extension TokenBinding {
    /// What goes with the request that a token is wanted for; nil when none was named, or the token is bound to nothing.
    func proof(of token: Secret, for request: ResourceRequest?, now: Date) throws(Failure) -> ProofOfPossession? {
        guard let request else { return nil }
        do {
            switch self {
            case .bearer: return nil
            case .pop(let key):
                let signed = try SignedHTTPRequest.make(
                    method: request.method, address: request.address, key: key, accessToken: token, nonce: request.nonce, now: now)
                return ProofOfPossession(
                    scheme: .pop, keyID: key.thumbprint, authorization: Secret("PoP " + signed.reveal()), proof: nil)
            case .dpop(let key, let nonces):
                let proof = try DPoPProof.make(
                    method: request.method, address: request.address, key: key, accessToken: token,
                    nonce: request.nonce ?? nonces[request.address], now: now)
                return ProofOfPossession(
                    scheme: .dpop, keyID: key.thumbprint, authorization: Secret("DPoP " + token.reveal()), proof: proof)
            }
        } catch { throw Failure(error) }
    }
}
