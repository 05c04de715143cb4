package import Identity

/// The state of a token's signature, which is always shown; for an opaque token, the answer of its server.
package enum Verification: Hashable, Sendable {
    case notChecked
    case checking
    /// Not checked: the host is not configured, so the user decides whether to contact it.
    case mayAsk(host: String)
    case right(key: String)
    case wrong(String)
    /// The issuer intends only the resource to verify it.
    case notVerifiable(String)
    case failed(String)
    /// The server accepts the opaque token, and says this about it.
    case accepted(host: String, Claims)
    /// The server does not accept the opaque token.
    case rejected(host: String)

    /// The server's answer about an opaque token.
    package var answer: Claims? { if case .accepted(_, let claims) = self { claims } else { nil } }
}

extension Verification {
    package var words: String {
        switch self {
        case .notChecked: "signature not checked"
        case .checking: "signature: fetching the issuer's keys"
        case .mayAsk(let host): "signature not checked: \(host) is not configured"
        case .right(let key): "signature valid (key \(key))"
        case .wrong(let why): "signature INVALID: \(why)"
        case .notVerifiable(let why): "signature not verifiable by design: \(why)"
        case .failed(let why): "signature not checked: \(why)"
        case .accepted, .rejected: opaqueWords
        }
    }

    /// For an opaque token, which has no signature.
    package var opaqueWords: String {
        switch self {
        case .notChecked, .mayAsk, .right, .wrong, .notVerifiable: "not checked at its server"
        case .checking: "asking its server"
        case .failed(let why): "not checked at its server: \(why)"
        case .accepted(let host, _): "\(host) accepts it"
        case .rejected(let host): "\(host) does not accept it: expired or revoked"
        }
    }

    package var wholeWords: String {
        if case .right = self { words + "; audience, issuer, expiry not checked" } else { words }
    }
}
