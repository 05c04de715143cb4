package import Identity

/// Checks only the signature of a JWT: RFC 7515 with a list of accepted algorithms.
package struct SignatureCheck: Sendable {
    package enum Outcome: Hashable, Sendable {
        case verified(key: String)
        case noSuchKey
        /// The named key is not for this algorithm: its type, curve or own `alg` is another.
        case otherKindOfKey
        case mismatch
        case unsupportedAlgorithm
        /// RFC 7515 section 4.1.11: a required but unsupported extension.
        case criticalExtension
        /// An RSA key of fewer than 2048 bits (RFC 7518 section 3.3).
        case weakKey

        fileprivate var isVerified: Bool {
            if case .verified = self { return true }
            return false
        }
    }

    let keys: KeySet
    let address: WebAddress

    package init(keys: KeySet, address: WebAddress) { (self.keys, self.address) = (keys, address) }

    /// - Throws: ``WireError`` if the keys could not be fetched.
    package func check(_ jwt: DecodedJWT) async throws(WireError) -> Outcome {
        guard let algorithm = jwt.header.string("alg").flatMap(SignatureAlgorithm.init) else {
            return .unsupportedAlgorithm
        }
        guard jwt.header["crit"] == nil, jwt.header["b64"] == nil else { return .criticalExtension }
        let id = jwt.header.string("kid")
        if jwt.header["kid"] != nil, id == nil { return .noSuchKey }
        let candidates = try await keys.keys(named: id, at: address)
        let outcome = Self.outcome(jwt, algorithm, id, of: candidates)
        // Without a name in common, nothing says that the key of the token is not among the cached ones.
        guard !outcome.isVerified, id == nil || !candidates.contains(where: { $0.id == id }),
            let newer = try await keys.newerKeys(named: id, at: address)
        else { return outcome }
        return Self.outcome(jwt, algorithm, id, of: newer)
    }

    private static func outcome(
        _ jwt: DecodedJWT, _ algorithm: SignatureAlgorithm, _ id: String?, of keys: [SigningKey]
    ) -> Outcome {
        guard !keys.isEmpty else { return .noSuchKey }
        let fitting = keys.filter { $0.fits(algorithm) }
        guard !fitting.isEmpty else {
            return id != nil && keys.contains { $0.id == id } ? .otherKindOfKey : .noSuchKey
        }
        guard !fitting.allSatisfy(\.isWeak) else { return .weakKey }
        let key = fitting.first {
            $0.verifies(jwt.signature, of: jwt.signingInput, algorithm: algorithm.rawValue)
        }
        return key.map { .verified(key: $0.id ?? "without a name") } ?? .mismatch
    }
}

extension KeySet {
    /// Whether the provider has a key that can verify signatures.
    package func hasUsableKey(at address: WebAddress) async throws(WireError) -> Bool {
        try await keys(named: nil, at: address).contains { !$0.isWeak }
    }
}
