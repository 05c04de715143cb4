// SignIn/ holds what happens while a person signs in or out: values for whoever draws it, no effect of their own.

public import FoundationEssentials

/// What happens while a person is asked, told to whoever draws it.
public enum SignInEvent: Hashable, Sendable {
    case step(Step)
    /// Which method was taken, and why.
    case method(SignInMethod, reason: String)
    case deviceCode(DeviceCodePrompt)
    /// An answer to a poll, and when the next goes out.
    case poll(DevicePoll)
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
    case redirectReceived
    case completed
    case failed(Failure)
}

/// The life of a browser during a sign-in.
public enum UserAgentEvent: Hashable, Sendable {
    /// The address is being handed to the method's browser.
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
    public var verificationURI: WebAddress
    public var verificationURIComplete: WebAddress?
    public var startedAt: Date
    public var expiresAt: Date
    /// Seconds between two polls.
    public var interval: Int

    public init(
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
    public enum Answer: Hashable, Sendable {
        case pending, slowDown
        /// The provider was not reached or failed; polled again more slowly.
        case unreachable
    }

    public var answer: Answer
    /// Counted from one.
    public var number: Int
    /// Seconds until the next poll.
    public var interval: Int
    public var nextAt: Date

    public init(answer: Answer, number: Int, interval: Int, nextAt: Date) {
        self.answer = answer
        self.number = number
        self.interval = interval
        self.nextAt = nextAt
    }
}

/// What a loopback sign-in waits for.
public struct BrowserPrompt: Hashable, Sendable {
    public var authorizationURL: WebAddress
    /// Where the listener waits.
    public var redirectURI: String
    public var port: Int
    public var expiresAt: Date

    public init(authorizationURL: WebAddress, redirectURI: String, port: Int, expiresAt: Date) {
        self.authorizationURL = authorizationURL
        self.redirectURI = redirectURI
        self.port = port
        self.expiresAt = expiresAt
    }
}
