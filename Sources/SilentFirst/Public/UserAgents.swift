public import Identity

/// The ways to reach the user, provided by the program: the library itself opens nothing.
///
/// They correspond to MSAL's web view types, for a terminal: the system browser, a private window, a text browser in
/// the same terminal, another device (an event reports the code to show), and prompts without a browser.
/// ``/Identity/SignInMethod/singleSignOn`` describes the effect of each on single sign-on.
public struct UserAgents: Sendable {
    /// The method to use for `automatic`, and the reason as text.
    public var automatic: @Sendable () -> (method: SignInMethod, reason: String)
    /// Opens a URL in the system browser, and returns once it is opened. An error does not end the sign-in.
    public var openBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Opens a URL in a private window, which neither uses nor keeps cookies.
    public var openPrivateWindow: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Opens a URL in a text browser in this terminal, and returns when the user quits it.
    public var openTextBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Lines that the user pastes during a loopback sign-in: the redirect URL, or only the code.
    public var pastedLines: @Sendable () -> AsyncStream<String>
    /// Shows a prompt of a sign-in without a browser; returns nil if the user cancels.
    public var answer: @Sendable (SignInQuestion) async -> SignInReply?
    /// The time limit for the user in the browser; five minutes by default, as in MSAL.
    public var patience = Duration.seconds(300)

    /// Creates user agents. An omitted closure throws, and the sign-in continues with the URL shown to the user.
    public init(
        automatic: @escaping @Sendable () -> (method: SignInMethod, reason: String),
        openBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void,
        openPrivateWindow: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void = {
            _ throws(BrowserProblem) in
            throw BrowserProblem("no private window configured")
        },
        openTextBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void = {
            _ throws(BrowserProblem) in
            throw BrowserProblem("no text browser configured")
        },
        pastedLines: @escaping @Sendable () -> AsyncStream<String> = { AsyncStream { $0.finish() } },
        answer: @escaping @Sendable (SignInQuestion) async -> SignInReply? = { _ in nil }
    ) {
        self.automatic = automatic
        self.openBrowser = openBrowser
        self.openPrivateWindow = openPrivateWindow
        self.openTextBrowser = openTextBrowser
        self.pastedLines = pastedLines
        self.answer = answer
    }

    /// For programs without a browser: always uses a device code, which an event reports.
    public static let deviceCodeOnly = UserAgents(
        automatic: { (.device, "this program cannot open a browser") },
        openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("this program cannot open a browser") })

    func open(_ address: WebAddress, by method: SignInMethod) async throws(BrowserProblem) {
        switch method {
        case .text: try await openTextBrowser(address)
        case .privateWindow: try await openPrivateWindow(address)
        case .automatic, .browser, .device, .native: try await openBrowser(address)
        }
    }
}

/// The reason that a browser could not be opened: lower case, no full stop.
public struct BrowserProblem: Error, Hashable, Sendable {
    /// The message, also for ``/Identity/SignInEvent/browserUnavailable(_:)``.
    public var message: String
    /// - Parameter message: lower case, no full stop, no secret.
    public init(_ message: String) { self.message = message }
}
