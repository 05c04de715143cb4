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
        case account, accessToken, refreshToken, familyRefreshToken, legacyRefreshToken, lock, throttle,
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
    /// One line for a person, clean of secrets; text from outside in it is cleaned by who shows it.
    public var detail: String

    /// - Parameter detail: one line without secrets.
    package init(_ name: Name, _ outcome: Outcome, _ detail: String) {
        self.name = name
        self.outcome = outcome
        self.detail = detail
    }
}

extension Step.Name {
    /// The words for a person.
    public var words: String {
        switch self {
        case .account: "account"
        case .accessToken: "cached access token"
        case .refreshToken: "refresh token"
        case .familyRefreshToken: "family refresh token"
        case .legacyRefreshToken: "refresh token of ADAL"
        case .lock: "wait for another process"
        case .throttle: "retry-after of the provider"
        case .instanceDiscovery: "instance discovery"
        case .discovery: "provider metadata"
        case .refresh: "refresh"
        case .interaction: "interactive sign-in"
        case .method: "method"
        case .native: "questions and answers"
        case .deviceCode: "device code"
        case .pushedRequest: "request pushed to the provider"
        case .browser: "browser"
        case .redirect: "redirect"
        case .redeem: "code redeemed"
        case .idToken: "ID token checked"
        case .userInfo: "user info"
        case .save: "store"
        case .revoke: "revocation"
        case .endSession: "browser session"
        case .remove: "removal"
        }
    }
}
