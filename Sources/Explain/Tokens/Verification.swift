/// The state of a token's signature, which is always shown.
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
        }
    }

    package var wholeWords: String {
        if case .right = self { words + "; audience, issuer, expiry not checked" } else { words }
    }
}
