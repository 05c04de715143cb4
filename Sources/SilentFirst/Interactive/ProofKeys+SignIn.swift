import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

extension ProofKeys {
    /// The binding of an interactive sign-in: at OpenID Connect providers, a new key that is saved afterwards.
    ///
    /// - Throws: `serverError` if a proof is required and the provider does not support DPoP.
    func binding(for request: TokenRequest, _ metadata: ProviderMetadata, at authority: Authority) throws(Failure)
        -> TokenBinding
    {
        switch authority.kind {
        case .aad, .b2c, .ciam: return request.proof == nil ? .bearer : .pop(ProofKey())
        case .oidc, .oauth2, .adfs:
            if metadata.offersProofs, request.proof != nil || client.configuration.proofOfPossession {
                return .dpop(ProofKey(), client.nonces)
            }
            try Self.check(metadata, isWanted: request.proof != nil)
            return .bearer
        }
    }

    static func check(_ metadata: ProviderMetadata, isWanted: Bool) throws(Failure) {
        guard isWanted, !metadata.offersProofs else { return }
        throw Failure(
            .serverError, "the provider does not bind tokens to keys",
            hint: "request a token without proof of possession")
    }

    // MARK: The key of a sign-in

    /// Saves the key of a sign-in; earlier keys are kept for old tokens. Returns their thumbprints.
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

    /// Removes keys that no saved token uses, after a sign-in was saved. A left-over key is harmless.
    func tidy(after binding: TokenBinding, of homeAccountID: String, at authority: Authority) {
        if authority.kind.isEntra, binding.key == nil { return }
        let owner = owner(homeAccountID, authority)
        do {
            let snapshot = try client.cache.read()
            // A concurrent sign-in may have removed the key as unused.
            if let key = binding.key { try store.add(key.secret, of: owner) }
            let named = snapshot.boundKeyIDs
            let idle = try store.keys(of: owner).filter { secret in
                guard secret != binding.key?.secret, let key = try? ProofKey(secret) else { return false }
                return !named.contains(key.thumbprint)
            }
            let account = AccountID(homeAccountID: homeAccountID, environment: authority.environment)
            let issuer = client.configuration.issuer(of: authority)
            guard !idle.isEmpty else { return }
            try store.remove(idle, of: owner, earlier: issuer != nil && snapshot.onlyIssuer(of: account) == issuer)
        } catch { return }
    }

    func discard(_ binding: TokenBinding, of homeAccountID: String, at authority: Authority) {
        guard let key = binding.key else { return }
        do { try store.remove([key.secret], of: owner(homeAccountID, authority)) } catch { return }
    }
}
