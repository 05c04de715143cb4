package import Identity

/// Checks only the signature of a JWT: RFC 7515 with a list of accepted algorithms.
package struct SignatureCheck: Sendable {
    package enum Outcome: Hashable, Sendable {
        case verified(key: String)
        case noSuchKey
        case mismatch
        case unsupportedAlgorithm
        /// RFC 7515 section 4.1.11: a required but unsupported extension.
        case criticalExtension
        /// An RSA key of fewer than 2048 bits (RFC 7518 section 3.3).
        case weakKey
    }

    let keys: KeySet
    let address: WebAddress

    package init(keys: KeySet, address: WebAddress) { (self.keys, self.address) = (keys, address) }

    /// - Throws: ``WireError`` if the keys could not be fetched.
    package func check(_ jwt: DecodedJWT) async throws(WireError) -> Outcome {
        guard let algorithm = jwt.header.string("alg"), SigningKey.algorithms.contains(algorithm) else {
            return .unsupportedAlgorithm
        }
        guard jwt.header["crit"] == nil, jwt.header["b64"] == nil else { return .criticalExtension }
        if jwt.header["kid"] != nil, jwt.header.string("kid") == nil { return .noSuchKey }
        let candidates = try await keys.keys(named: jwt.header.string("kid"), at: address)
        guard !candidates.isEmpty else { return .noSuchKey }
        guard !candidates.allSatisfy(\.isWeak) else { return .weakKey }
        guard
            let key = candidates.first(where: { $0.verifies(jwt.signature, of: jwt.signingInput, algorithm: algorithm) }
            )
        else {
            return .mismatch
        }
        return .verified(key: key.id ?? "without a name")
    }
}

extension KeySet {
    /// Whether the provider has a key that can verify signatures.
    package func hasUsableKey(at address: WebAddress) async throws(WireError) -> Bool {
        try await keys(named: nil, at: address).contains { !$0.isWeak }
    }
}
