/// The attempts of an acquisition, in order. The sign-in screen and `--verbose` use it to explain a failed silent call.
public struct AcquisitionTrace: Hashable, Sendable {
    /// The steps, oldest first.
    public private(set) var steps: [Step]

    package init(_ steps: [Step] = []) { self.steps = steps }

    package mutating func append(_ step: Step) { steps.append(step) }
}

/// One attempt and its outcome.
public struct Step: Hashable, Sendable {
    /// The kinds of steps. Raw values are part of `--json` output.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case account, accessToken, refreshToken, familyRefreshToken, legacyRefreshToken, broker, lock, throttle,
            instanceDiscovery, discovery,
            refresh
        case interaction, method, native, deviceCode, pushedRequest, browser, redirect, redeem, idToken, userInfo, save,
            revoke, endSession,
            remove
    }

    /// The result of a step.
    public enum Outcome: String, Hashable, Sendable {
        /// It succeeded.
        case done
        /// There is none, or none that matches.
        case missing
        /// It exists but failed: expired, refused or unreachable.
        case failed
        /// It was skipped deliberately.
        case skipped
        /// It is in progress, waiting for the user or another process.
        case waiting
    }

    /// The kind of step.
    public var name: Name
    /// The result.
    public var outcome: Outcome
    /// One line that continues the name, without secrets; the view that shows it sanitizes external text. For a failure
    /// it says what is wrong; for something missing, what was needed.
    public var detail: String
    /// The names of users in ``detail``.
    package var names: [String]

    package init(_ name: Name, _ outcome: Outcome, _ detail: String, naming names: [String] = []) {
        (self.name, self.outcome, self.detail, self.names) = (name, outcome, detail, names)
    }
}

extension Step {
    /// The step as a line of text, such as `cached token: expires in 59 min` or `no refresh token for this client`.
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

extension Step: CustomStringConvertible, CustomReflectable {
    /// Like ``words``, for a log: with `<masked>` in place of each user's name.
    public var maskedWords: String { NameMask.masked(words, hiding: names) }
    /// ``maskedWords``.
    public var description: String { maskedWords }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Step.Name {
    /// The display name.
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
