/// The resource request for which a key-bound token is used.
public struct ResourceRequest: Hashable, Sendable {
    /// The HTTP method, upper-case.
    public let method: String
    /// The proof covers it without query and fragment (`htu` of RFC 9449 section 4.2; `u`, `p` of MSAL's).
    public let address: WebAddress
    /// The nonce in the resource's last `WWW-Authenticate` or `DPoP-Nonce` field.
    public let nonce: String?

    /// - Returns: nil unless the method is a token (RFC 9110 section 5.6.2) of at most 32 characters and the nonce
    ///   valid.
    public init?(method: String, address: WebAddress, nonce: String? = nil) {
        let letters = Set("!#$%&'*+-.^_`|~".utf8)
        guard !method.isEmpty, method.utf8.count <= 32,
            method.utf8.allSatisfy({
                letters.contains($0) || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0)
            })
        else { return nil }
        if let nonce {
            guard (1...1024).contains(nonce.utf8.count),
                nonce.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
            else {
                return nil
            }
        }
        self.method = method.uppercased()
        self.address = address
        self.nonce = nonce
    }
}

/// A proof to a resource that the sender holds the token's key; valid once and only for a short time.
public struct ProofOfPossession: Hashable, Sendable {
    /// The proof schemes.
    public enum Scheme: String, Hashable, Sendable {
        /// MSAL's scheme: the token inside a signed description of the request.
        case pop = "PoP"
        /// RFC 9449: the token and a separate proof.
        case dpop = "DPoP"
    }

    /// The scheme, which the resource must support.
    public let scheme: Scheme
    /// The RFC 7638 thumbprint of the key.
    public let keyID: String
    /// The value of the `Authorization` field.
    public let authorization: Secret
    /// The value of the `DPoP` field; nil for MSAL's scheme.
    public let proof: Secret?

    package init(scheme: Scheme, keyID: String, authorization: Secret, proof: Secret?) {
        self.scheme = scheme
        self.keyID = keyID
        self.authorization = authorization
        self.proof = proof
    }

    /// The fields to send with the request, each as `Name: value`.
    public var fields: [Secret] {
        [Secret("Authorization: " + authorization.reveal())] + (proof.map { [Secret("DPoP: " + $0.reveal())] } ?? [])
    }
}
