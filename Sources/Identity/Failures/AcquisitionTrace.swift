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
        /// The account that the request is for.
        case account
        /// A cached access token.
        case accessToken
        /// The client's own refresh token.
        case refreshToken
        /// A refresh token of another client of the same family.
        case familyRefreshToken
        /// A refresh token of a legacy cache.
        case legacyRefreshToken
        /// A request to the broker.
        case broker
        /// The wait for another process that refreshes the same token.
        case lock
        /// A recent failure, which is returned again instead of a new request.
        case throttle
        /// Instance discovery of Microsoft's clouds.
        case instanceDiscovery
        /// The provider's metadata.
        case discovery
        /// A request to the token endpoint with a refresh token.
        case refresh
        /// Whether a prompt is needed and allowed.
        case interaction
        /// The choice of the sign-in method.
        case method
        /// A sign-in without a browser, by questions.
        case native
        /// A sign-in by device code (RFC 8628).
        case deviceCode
        /// A pushed authorization request (RFC 9126).
        case pushedRequest
        /// The start of a browser or another user agent.
        case browser
        /// The redirect of the authorization response.
        case redirect
        /// A request to the token endpoint with a code.
        case redeem
        /// The checks of the ID token.
        case idToken
        /// A request to the user info endpoint.
        case userInfo
        /// A write to the store.
        case save
        /// The revocation of tokens (RFC 7009).
        case revoke
        /// The end of the provider's browser session.
        case endSession
        /// The removal of an account from the store.
        case remove
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
