package import Identity

/// The signature of a JWT and nothing else of it: RFC 7515 with the list of accepted algorithms.
package struct SignatureCheck: Sendable {
    /// What a look at the signature found.
    package enum Outcome: Hashable, Sendable {
        case verified(key: String)
        case noSuchKey
        case mismatch
        case unsupportedAlgorithm
        /// RFC 7515 section 4.1.11: an extension that must be understood, and is not.
        case criticalExtension
        /// The key that is named is an RSA key of fewer than 2048 bits (RFC 7518 section 3.3).
        case weakKey
    }

    let keys: KeySet
    let address: WebAddress

    /// - Parameter address: the issuer's keys, as its metadata names them.
    package init(keys: KeySet, address: WebAddress) { (self.keys, self.address) = (keys, address) }

    /// - Throws: ``WireError`` when the keys could not be fetched.
    package func check(_ jwt: DecodedJWT) async throws(WireError) -> Outcome {
        guard let algorithm = jwt.header.string("alg"), SigningKey.algorithms.contains(algorithm) else {
            return .unsupportedAlgorithm
        }
        // An extension that must be understood is not.
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
    /// Whether the keys of a provider can be had, and there is one among them that a signature can be checked with.
    ///
    /// - Throws: ``WireError`` when they could not be fetched.
    package func hasUsableKey(at address: WebAddress) async throws(WireError) -> Bool {
        try await keys(named: nil, at: address).contains { !$0.isWeak }
    }
}
