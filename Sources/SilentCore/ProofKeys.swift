package import FoundationEssentials
package import Identity
package import Proofs
package import TokenCache

/// Chooses the key that tokens are bound to, before the cache lookup: a bound token only works with its key.
///
/// At Entra ID, the request decides (MSAL's proof of possession), and refresh tokens are not bound. At OpenID Connect
/// providers (DPoP, RFC 9449), the whole account is bound: its refresh token only works with its key, so it is always
/// sent with the key named in its entry, whatever the request or the settings say.
package struct ProofKeys {
    package let client: CachedClient
    package let store: ProofKeyStore
    private let known: SideFiles.Keys?

    /// - Parameter known: keys that were already read; nil reads them on demand.
    package init(_ client: CachedClient, known: SideFiles.Keys? = nil) {
        (self.client, self.known) = (client, known)
        store = ProofKeyStore(client.cache)
    }

    /// The binding of a silent request's tokens. Key files are only opened if a token is bound or a proof is requested.
    ///
    /// - Parameter keepsNewKeys: whether a newly created key is saved; false leaves the store unchanged.
    /// - Throws: a required sign-in if the key is missing; `storeError` if the keys cannot be read.
    func binding(
        for request: TokenRequest, _ query: CredentialQuery, _ account: Account, at authority: Authority,
        in snapshot: CacheSnapshot, keepsNewKeys: Bool
    ) throws(ResolutionError) -> TokenBinding {
        let owner = owner(account.homeAccountID, authority)
        func made() throws -> ProofKey {
            guard keepsNewKeys else { return try keys(of: owner).last.map { try ProofKey($0) } ?? ProofKey() }
            return try ProofKey(try store.key(of: owner) { ProofKey().secret })
        }
        do {
            switch authority.kind {
            case .aad, .b2c, .ciam: return request.proof == nil ? .bearer : .pop(try made())
            case .oidc, .oauth2, .adfs:
                if let named = Self.boundKey(query, in: snapshot) {
                    if let key = try key(named.thumbprint, of: owner) { return .dpop(key, client.nonces) }
                    guard !named.isCertain else { throw ResolutionError.needsPerson(.proofKeyMissing(account)) }
                }
                guard request.proof != nil || client.configuration.proofOfPossession else { return .bearer }
                if request.proof == nil {
                    guard let known = try keys(of: owner).last else { return .bearer }
                    return .dpop(try ProofKey(known), client.nonces)
                }
                return .dpop(try made(), client.nonces)
            }
        } catch let error as ResolutionError {
            throw error
        } catch let error as StoreError {
            throw .failed(Failure(error))
        } catch let error as WireError {
            throw .failed(Failure(error))
        } catch { throw .failed(Failure(.storeError, "cannot read the proof keys")) }
    }

    /// The key of the account's refresh token. Old entries lack it and share the key of their access token.
    private static func boundKey(_ query: CredentialQuery, in snapshot: CacheSnapshot) -> (
        thumbprint: String, isCertain: Bool
    )? {
        let token = snapshot.refreshTokens(query, family: false).first
        if let named = token?.keyID { return (named, true) }
        guard let token, token.issuer == nil else { return nil }
        return snapshot.accessTokenKeyID(query).map { ($0, false) }
    }

    private func key(_ thumbprint: String, of owner: ProofKeyOwner) throws(StoreError) -> ProofKey? {
        try keys(of: owner).lazy.compactMap { try? ProofKey($0) }.first { $0.thumbprint == thumbprint }
    }

    private func keys(of owner: ProofKeyOwner) throws(StoreError) -> [Secret] {
        guard let known else { return try store.keys(of: owner) }
        return try known.get().keys(of: owner)
    }

    package func owner(_ homeAccountID: String, _ authority: Authority) -> ProofKeyOwner {
        ProofKeyOwner(
            environment: Cloud.containing(host: authority.environment)?.preferredNetwork ?? authority.environment,
            issuer: client.configuration.issuer(of: authority) ?? authority.kind.rawValue,
            earlierIssuer: authority.kind.isStandard ? authority.address.path : authority.kind.rawValue,
            homeAccountID: homeAccountID,
            clientID: client.configuration.clientID)
    }
}

extension TokenBinding {
    /// The proof for the resource request; nil if there is no request, or the token is not bound.
    package func proof(of token: Secret, for request: ResourceRequest?, now: Date) throws(Failure) -> ProofOfPossession?
    {
        guard let request else { return nil }
        do {
            switch self {
            case .bearer: return nil
            case .pop(let key):
                let signed = try SignedHTTPRequest.make(
                    method: request.method, address: request.address, key: key, accessToken: token,
                    nonce: request.nonce, now: now)
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
