/// The request to a resource that a token bound to a key is wanted for.
public struct ResourceRequest: Hashable, Sendable {
    /// The HTTP method, upper-case.
    public let method: String
    /// Without its query and fragment it is what the proof names (`htu` of RFC 9449 section 4.2; `u`, `p` of MSAL's).
    public let address: WebAddress
    /// What the resource asked for in its last `WWW-Authenticate` or `DPoP-Nonce` field.
    public let nonce: String?

    /// - Returns: nil when the method is no token of RFC 9110 section 5.6.2 of at most 32 letters, or the nonce could
    ///   not stand in a field.
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

/// What shows a resource that the token's holder has the key that the token is bound to: good for one request, now.
public struct ProofOfPossession: Hashable, Sendable {
    /// How it is shown.
    public enum Scheme: String, Hashable, Sendable {
        /// MSAL's: the token within a signed description of the request.
        case pop = "PoP"
        /// RFC 9449: the token, and a proof beside it.
        case dpop = "DPoP"
    }

    /// What the resource must understand.
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
