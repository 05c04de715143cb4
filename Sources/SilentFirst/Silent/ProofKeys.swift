import FoundationEssentials
import Identity
import TokenCache
import Wire

/// What tokens are bound to: decided before anything is looked up, since a bound token answers for its key alone.
///
/// At Entra ID a request asks for it (MSAL's proof of possession), and refresh tokens stay free. At OpenID Connect
/// providers (DPoP, RFC 9449) the account is bound as a whole: its refresh token is good with its key only, so every
/// request of a bound refresh token goes with the key that its entry names, whatever the request or the settings wish.
struct ProofKeys {
    private let configuration: ClientConfiguration
    private let cache: TokenCache
    private let nonces: ProofNonces
    private let store: ProofKeyStore
    private let known: SideFiles.Keys?

    /// - Parameters:
    ///   - nonces: the newest nonce of each origin that wants one.
    ///   - known: what was read of the keys; nil reads them when they are needed.
    init(
        _ configuration: ClientConfiguration, _ cache: TokenCache, _ nonces: ProofNonces, known: SideFiles.Keys? = nil
    ) {
        self.known = known
        self.configuration = configuration
        self.cache = cache
        self.nonces = nonces
        store = ProofKeyStore(cache)
    }

    /// What a silent request's tokens are bound to. Where no token is bound and no proof is wished, no file of keys is
    /// opened.
    ///
    /// - Parameters:
    ///   - query: names the account; its tokens say which key they are bound to.
    ///   - keepsNewKeys: whether a key that has to be made is kept; else it is forgotten, and the store is not written.
    /// - Throws: the person is needed when the key is gone; `storeError` when the keys cannot be read.
    func binding(
        for request: TokenRequest, _ query: CredentialQuery, _ account: Account, at authority: Authority,
        in snapshot: CacheSnapshot, keepsNewKeys: Bool
    ) throws(Unresolved) -> TokenBinding {
        let owner = owner(account.homeAccountID, authority)
        func made() throws -> ProofKey {
            guard keepsNewKeys else { return try keys(of: owner).last.map { try ProofKey($0) } ?? ProofKey() }
            return try ProofKey(try store.key(of: owner) { ProofKey().secret })
        }
        do {
            switch authority.kind {
            case .aad, .b2c, .ciam: return request.proof == nil ? .bearer : .pop(try made())
            case .oidc, .adfs:
                if let named = Self.boundKey(query, in: snapshot) {
                    if let key = try key(named.thumbprint, of: owner) { return .dpop(key, nonces) }
                    guard !named.isCertain else { throw Unresolved.needsPerson(.proofKeyMissing(account)) }
                }
                guard request.proof != nil || configuration.proofOfPossession else { return .bearer }
                if request.proof == nil {
                    guard let known = try keys(of: owner).last else { return .bearer }
                    return .dpop(try ProofKey(known), nonces)
                }
                return .dpop(try made(), nonces)
            }
        } catch let error as Unresolved {
            throw error
        } catch let error as StoreError {
            throw .failed(Failure(error))
        } catch let error as WireError {
            throw .failed(Failure(error))
        } catch { throw .failed(Failure(.storeError, "the keys beside the store cannot be read")) }
    }

    /// The key that the account's refresh token is bound to. Entries of before did not name it: then it is the key of
    /// the access token that came with it.
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

    /// What an interactive sign-in's tokens are bound to: at OpenID Connect providers a new key, which is kept once it
    /// is known whose it is.
    ///
    /// - Throws: `serverError` when proofs are wanted and the provider does not bind tokens to keys.
    func binding(for request: TokenRequest, _ metadata: ProviderMetadata, at authority: Authority) throws(Failure)
        -> TokenBinding
    {
        switch authority.kind {
        case .aad, .b2c, .ciam: return request.proof == nil ? .bearer : .pop(ProofKey())
        case .oidc, .adfs:
            if metadata.offersProofs, request.proof != nil || configuration.proofOfPossession {
                return .dpop(ProofKey(), nonces)
            }
            try Self.check(metadata, isWanted: request.proof != nil)
            return .bearer
        }
    }

    /// Whether the provider can do what is wanted.
    static func check(_ metadata: ProviderMetadata, isWanted: Bool) throws(Failure) {
        guard isWanted, !metadata.offersProofs else { return }
        throw Failure(
            .serverError, "the provider does not bind tokens to keys",
            hint: "ask for a token without proof of possession")
    }

    // MARK: The key of a sign-in

    /// Keeps the key of a sign-in beside the one of the sign-in before: the new tokens would be lost without it, and
    /// the old ones without theirs.
    ///
    /// - Returns: the thumbprints of the earlier keys.
    func add(_ binding: TokenBinding, of homeAccountID: String, at authority: Authority) throws(Failure) -> Set<String>
    {
        guard let key = binding.key else { return [] }
        let owner = owner(homeAccountID, authority)
        do {
            let earlier = try store.keys(of: owner)
            try store.add(key.secret, of: owner)
            return Set(earlier.compactMap { try? ProofKey($0).thumbprint }).subtracting([key.thumbprint])
        } catch { throw Failure(error) }
    }

    /// The sign-in was stored: keys that no token names any more go. A key that stays costs nothing.
    func tidy(after binding: TokenBinding, of homeAccountID: String, at authority: Authority) {
        if authority.kind.isEntra, binding.key == nil { return }
        let owner = owner(homeAccountID, authority)
        do {
            let snapshot = try cache.read()
            // Another sign-in that was under way may have taken the key for one of nobody.
            if let key = binding.key { try store.add(key.secret, of: owner) }
            let named = snapshot.boundKeyIDs
            let idle = try store.keys(of: owner).filter { secret in
                guard secret != binding.key?.secret, let key = try? ProofKey(secret) else { return false }
                return !named.contains(key.thumbprint)
            }
            let account = AccountID(homeAccountID: homeAccountID, environment: authority.environment)
            let issuer = configuration.issuer(of: authority)
            guard !idle.isEmpty else { return }
            try store.remove(idle, of: owner, earlier: issuer != nil && snapshot.onlyIssuer(of: account) == issuer)
        } catch { return }
    }

    /// The sign-in was not stored: nothing is bound to its key.
    func discard(_ binding: TokenBinding, of homeAccountID: String, at authority: Authority) {
        guard let key = binding.key else { return }
        do { try store.remove([key.secret], of: owner(homeAccountID, authority)) } catch { return }
    }

    private func owner(_ homeAccountID: String, _ authority: Authority) -> ProofKeyOwner {
        ProofKeyOwner(
            environment: Cloud.containing(host: authority.environment)?.preferredNetwork ?? authority.environment,
            issuer: configuration.issuer(of: authority) ?? authority.kind.rawValue,
            earlierIssuer: authority.kind == .oidc ? authority.address.path : authority.kind.rawValue,
            homeAccountID: homeAccountID,
            clientID: configuration.clientID)
    }
}

extension TokenBinding {
    fileprivate var key: ProofKey? {
        switch self {
        case .bearer: nil
        case .dpop(let key, _), .pop(let key): key
        }
    }

    /// What goes with the request that a token is wanted for; nil when none was named, or the token is bound to
    /// nothing.
    func proof(of token: Secret, for request: ResourceRequest?, now: Date) throws(Failure) -> ProofOfPossession? {
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
