/// What an acquisition tried, in order: why the silent call failed is shown from this, on the sign-in screen and behind
/// `--verbose`.
public struct AcquisitionTrace: Hashable, Sendable {
    /// In the order in which they were taken.
    public private(set) var steps: [Step]

    /// Begins with steps that were taken elsewhere.
    package init(_ steps: [Step] = []) { self.steps = steps }

    /// Notes what was tried last.
    package mutating func append(_ step: Step) { steps.append(step) }
}

/// One thing that was tried, and what came of it.
public struct Step: Hashable, Sendable {
    /// The things an acquisition can try. Raw values are what `--json` prints.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case account, accessToken, refreshToken, familyRefreshToken, legacyRefreshToken, broker, lock, throttle,
            instanceDiscovery, discovery,
            refresh
        case interaction, method, native, deviceCode, pushedRequest, browser, redirect, redeem, idToken, userInfo, save,
            revoke, endSession,
            remove
    }

    /// What came of it.
    public enum Outcome: String, Hashable, Sendable {
        /// It served.
        case done
        /// It was looked for and is not there, or does not fit.
        case missing
        /// It was there and failed: expired, refused, unreachable.
        case failed
        /// It was skipped on purpose.
        case skipped
        /// It is under way, and waits for a person or another process.
        case waiting
    }

    /// What was tried.
    public var name: Name
    /// Whether it served.
    public var outcome: Outcome
    /// One line for a person that goes on from the name, clean of secrets; text from outside in it is cleaned by who
    /// shows it. Of a failure it says what is wrong; of what is missing for what it was looked for.
    public var detail: String

    /// - Parameter detail: one line without secrets.
    package init(_ name: Name, _ outcome: Outcome, _ detail: String) {
        (self.name, self.outcome, self.detail) = (name, outcome, detail)
    }
}

extension Step {
    /// The step as one line for a person, such as `cached token: expires in 59 min` or `no refresh token for this
    /// client or its family`.
    public var words: String {
        let rest = detail.isEmpty ? "" : ": " + detail
        return switch outcome {
        case .done, .failed: detail.isEmpty ? "\(name.words) \(outcome.rawValue)" : name.words + rest
        case .missing: "no \(name.words)" + (detail.isEmpty ? "" : " " + detail)
        case .skipped: "\(name.words) skipped" + rest
        case .waiting: "\(name.words), waiting" + (detail.isEmpty ? "" : " " + detail)
        }
    }
}

extension Step.Name {
    /// The words for a person.
    public var words: String {
        switch self {
        case .account: "account"
        case .accessToken: "cached token"
        case .refreshToken: "refresh token"
        case .familyRefreshToken: "family refresh token"
        case .legacyRefreshToken: "ADAL refresh token"
        case .broker: "broker"
        case .lock: "wait for another process"
        case .throttle: "request to the provider"
        case .instanceDiscovery: "instance discovery"
        case .discovery: "provider metadata"
        case .refresh: "refresh"
        case .interaction: "interactive sign-in"
        case .method: "method"
        case .native: "native sign-in"
        case .deviceCode: "device code"
        case .pushedRequest: "pushed authorization request"
        case .browser: "browser"
        case .redirect: "redirect"
        case .redeem: "authorization code"
        case .idToken: "ID token"
        case .userInfo: "user info"
        case .save: "store"
        case .revoke: "revocation"
        case .endSession: "browser session"
        case .remove: "removal"
        }
    }
}
