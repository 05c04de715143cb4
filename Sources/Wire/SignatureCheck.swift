package import Identity

/// The signature of a JWT and nothing else of it: RFC 7515 with the list of accepted algorithms.
package struct SignatureCheck: Sendable {
    /// What a look at the signature found.
    package enum Finding: Hashable, Sendable {
        case verified(key: String)
        case noSuchKey
        case mismatch
        case unsupportedAlgorithm
    }

    let keys: KeySet
    let address: WebAddress

    /// - Parameter address: the issuer's keys, as its metadata names them.
    package init(keys: KeySet, address: WebAddress) {
        self.keys = keys
        self.address = address
    }

    /// - Throws: ``WireError`` when the keys could not be fetched.
    package func check(_ jwt: DecodedJWT) async throws(WireError) -> Finding {
        guard let algorithm = jwt.header.string("alg"), SigningKey.algorithms.contains(algorithm) else { return .unsupportedAlgorithm }
        // T15: an extension that must be understood is not.
        guard jwt.header["crit"] == nil, jwt.header["b64"] == nil else { return .unsupportedAlgorithm }
        if jwt.header["kid"] != nil, jwt.header.string("kid") == nil { return .noSuchKey }
        let candidates = try await keys.keys(named: jwt.header.string("kid"), at: address)
        guard !candidates.isEmpty else { return .noSuchKey }
        guard let key = candidates.first(where: { $0.verifies(jwt.signature, of: jwt.signingInput, algorithm: algorithm) }) else {
            return .mismatch
        }
        return .verified(key: key.id ?? "without a name")
    }
}
