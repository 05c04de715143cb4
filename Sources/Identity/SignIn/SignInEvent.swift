// SignIn/ holds what happens while a person signs in or out: values for whoever draws it, no effect of their own.

public import FoundationEssentials

/// What happens during an interactive sign-in, for whoever draws it.
public enum SignInEvent: Hashable, Sendable {
    /// A step of the acquisition, as it goes into its trace.
    case step(Step)
    /// Which method was taken, and why.
    case method(SignInMethod, reason: String)
    /// A code to show; the person types it on any device.
    case deviceCode(DeviceCodePrompt)
    /// An answer to a poll, and when the next goes out.
    case poll(DevicePoll)
    /// The listener waits, and the browser is about to be opened.
    case browser(BrowserPrompt)
    /// The browser could not be started; the address must be opened by hand.
    case browserUnavailable(String)
    /// Something other than an answer knocked on the listener and was sent away.
    case strayRequest(String)
    /// An answer came that is not this sign-in's, and was sent away: of another tab, an old page, or from somebody who
    /// tries.
    case strayAnswer(String)
    /// What was pasted is not this sign-in's answer; in words without it.
    case pastedTextRefused(String)
    /// The life of what shows the provider's page.
    case userAgent(UserAgentEvent)
    /// The provider's answer has come; the code is redeemed next.
    case redirectReceived
    /// The token is there and the store is written.
    case completed
    /// The sign-in ended without a token, by the failure that the call throws.
    case failed(Failure)
}

/// The life of a browser during a sign-in.
public enum UserAgentEvent: Hashable, Sendable {
    /// The address is being opened in the method's browser.
    case started(SignInMethod)
    /// The browser has taken the address; a text browser has been left.
    case loaded
    /// The provider sent the browser back to the listener.
    case redirected
    /// It could not be opened, or ended with an error; in words.
    case failed(String)
    /// Nothing more is expected of it.
    case completed
}

/// What the person needs for a device sign-in (RFC 8628 section 3.2).
public struct DeviceCodePrompt: Hashable, Sendable {
    /// To be shown exactly as it is.
    public var userCode: String
    /// Where the code is typed: short enough to be typed as well.
    public var verificationURI: WebAddress
    /// The same with the code in it, for a link or a QR code; nil where the provider gives none.
    public var verificationURIComplete: WebAddress?
    /// When the code came, by this machine's clock.
    public var startedAt: Date
    /// When the code is no longer taken (`expires_in`).
    public var expiresAt: Date
    /// Seconds between two polls.
    public var interval: Int

    /// - Parameter interval: seconds.
    package init(
        userCode: String, verificationURI: WebAddress, verificationURIComplete: WebAddress?, startedAt: Date,
        expiresAt: Date,
        interval: Int
    ) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.interval = interval
    }
}

/// How a poll of a device sign-in was answered.
public struct DevicePoll: Hashable, Sendable {
    /// The answers after which polling goes on (RFC 8628 section 3.5).
    public enum Answer: Hashable, Sendable {
        /// Nobody has answered yet (`authorization_pending`, `slow_down`).
        case pending, slowDown
        /// The provider was not reached or failed; polled again more slowly.
        case unreachable
    }

    /// What the last poll brought.
    public var answer: Answer
    /// Counted from one.
    public var number: Int
    /// Seconds until the next poll.
    public var interval: Int
    /// When the next poll goes out.
    public var nextAt: Date

    /// - Parameters:
    ///   - number: counted from one.
    ///   - interval: seconds.
    package init(answer: Answer, number: Int, interval: Int, nextAt: Date) {
        (self.answer, self.number, self.interval, self.nextAt) = (answer, number, interval, nextAt)
    }
}

/// What a loopback sign-in waits for.
public struct BrowserPrompt: Hashable, Sendable {
    /// The address that the browser opens, for a person who opens it by hand. It holds no secret (PKCE, RFC 7636).
    public var authorizationURL: WebAddress
    /// Where the listener waits.
    public var redirectURI: String
    /// The listener's, on the loopback interface.
    public var port: Int
    /// When the listener gives up: `UserAgents.patience` of the module SilentFirst after it began.
    public var expiresAt: Date

    /// - Parameter expiresAt: when the listener gives up.
    package init(authorizationURL: WebAddress, redirectURI: String, port: Int, expiresAt: Date) {
        self.authorizationURL = authorizationURL
        self.redirectURI = redirectURI
        self.port = port
        self.expiresAt = expiresAt
    }
}
