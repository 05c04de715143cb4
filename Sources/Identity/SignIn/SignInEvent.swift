// SignIn/ holds the events, prompts and results of signing in and out, as values for an interface to display.

public import FoundationEssentials

/// The events of an interactive sign-in, for an interface to display.
public enum SignInEvent: Hashable, Sendable {
    /// A step of the acquisition, as recorded in its trace.
    case step(Step)
    /// The chosen method and the reason.
    case method(SignInMethod, reason: String)
    /// A code to show; the user enters it on any device.
    case deviceCode(DeviceCodePrompt)
    /// The result of a poll, with the time of the next one.
    case poll(DevicePoll)
    /// The listener is ready, and the browser is about to open.
    case browser(BrowserPrompt)
    /// The browser could not be started; the user must open the URL.
    case browserUnavailable(String)
    /// The listener rejected a request that is not an authorization response.
    case strayRequest(String)
    /// The listener rejected a response to another request: from another tab, an old page, or an attack.
    case strayAnswer(String)
    /// The pasted text is not the response to this sign-in; the reason, without the text.
    case pastedTextRefused(String)
    /// A state change of the browser.
    case userAgent(UserAgentEvent)
    /// The provider's response arrived; the code is redeemed next.
    case redirectReceived
    /// The token was acquired and saved.
    case completed
    /// The sign-in failed with the error that the call throws.
    case failed(Failure)
}

/// The states of a browser during a sign-in.
public enum UserAgentEvent: Hashable, Sendable {
    /// The URL is being opened with this method.
    case started(SignInMethod)
    /// The browser opened the URL, or the user quit the text browser.
    case loaded
    /// The provider redirected the browser to the listener.
    case redirected
    /// The browser could not be opened, or ended with an error; the reason as text.
    case failed(String)
    /// The browser is no longer needed.
    case completed
}

/// The code and URL to show for a device sign-in (RFC 8628 section 3.2).
public struct DeviceCodePrompt: Hashable, Sendable {
    /// Must be shown unchanged.
    public var userCode: String
    /// The page on which to enter the code; short enough to type.
    public var verificationURI: WebAddress
    /// The URL with the code included, for a link or a QR code; nil if the provider does not supply one.
    public var verificationURIComplete: WebAddress?
    /// The time the code arrived, by the local clock.
    public var startedAt: Date
    /// The time the code expires (`expires_in`).
    public var expiresAt: Date
    /// Seconds between polls.
    public var interval: Int

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

/// The result of a poll during a device sign-in.
public struct DevicePoll: Hashable, Sendable {
    /// The responses after which polling continues (RFC 8628 section 3.5).
    public enum Answer: Hashable, Sendable {
        /// The user has not responded yet (`authorization_pending`, `slow_down`).
        case pending, slowDown
        /// The provider is unreachable or failed; polling slows down.
        case unreachable
    }

    /// The result of the last poll.
    public var answer: Answer
    /// The number of the poll, starting at one.
    public var number: Int
    /// Seconds until the next poll.
    public var interval: Int
    /// The time of the next poll.
    public var nextAt: Date

    package init(answer: Answer, number: Int, interval: Int, nextAt: Date) {
        (self.answer, self.number, self.interval, self.nextAt) = (answer, number, interval, nextAt)
    }
}

/// The URLs and deadline of a loopback sign-in.
public struct BrowserPrompt: Hashable, Sendable {
    /// The URL that the browser opens, also for opening by hand. It contains no secret (PKCE, RFC 7636).
    public var authorizationURL: WebAddress
    /// The URL of the listener.
    public var redirectURI: String
    /// The listener's port on the loopback interface.
    public var port: Int
    /// The deadline of the listener: `UserAgents.patience` (module SilentFirst) after its start.
    public var expiresAt: Date

    package init(authorizationURL: WebAddress, redirectURI: String, port: Int, expiresAt: Date) {
        self.authorizationURL = authorizationURL
        self.redirectURI = redirectURI
        self.port = port
        self.expiresAt = expiresAt
    }
}
