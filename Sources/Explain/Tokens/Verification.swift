/// What is known of a token's signature; never left unsaid.
package enum Verification: Hashable, Sendable {
    case notChecked
    case checking
    /// Nobody was asked yet: this host is not configured, and a person decides whether it may be.
    case mayAsk(host: String)
    case right(key: String)
    case wrong(String)
    /// The issuer means it to be read by its resource alone.
    case notVerifiable(String)
    /// Nothing was found out.
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

    /// The same where there is room, with what the check did not look at.
    package var wholeWords: String {
        if case .right = self { words + "; audience, issuer, expiry not checked" } else { words }
    }
}
