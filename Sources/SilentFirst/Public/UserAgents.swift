public import Identity

/// How a person can be reached, told by the program: the library opens nothing by itself.
///
/// What MSAL calls web view types, for a terminal: the system's browser, a private window of it, a text browser in the
/// same terminal, another device (the code is shown by whoever hears the events), and questions without any browser.
/// ``/Identity/SignInMethod/singleSignOn`` says what each means for single sign-on.
public struct UserAgents: Sendable {
    /// What `automatic` means here, and why, in words for a person.
    public var automatic: @Sendable () -> (method: SignInMethod, reason: String)
    /// Opens an address in the system's browser, and returns when the browser has taken it. Throws what stood in the
    /// way; the sign-in goes on, for the address can be opened by hand.
    public var openBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// The same in a private window: no cookie of the usual windows, and none stays.
    public var openPrivateWindow: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Opens an address in a text browser in this terminal and returns when it was left.
    public var openTextBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Lines that the person pastes while a loopback sign-in waits: the redirect URL, or the code alone.
    public var pastedLines: @Sendable () -> AsyncStream<String>
    /// Puts a question of a sign-in without a browser to the person; nil when they give up.
    public var answer: @Sendable (SignInQuestion) async -> SignInReply?
    /// How long a person may take in the browser: five minutes as they are, as long as MSAL waits.
    public var patience = Duration.seconds(300)

    /// Closures that are left out refuse: a method that needs them ends with what they throw, and the sign-in goes on
    /// with the address shown.
    public init(
        automatic: @escaping @Sendable () -> (method: SignInMethod, reason: String),
        openBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void,
        openPrivateWindow: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void = {
            _ throws(BrowserProblem) in
            throw BrowserProblem("no private window is set up")
        },
        openTextBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void = {
            _ throws(BrowserProblem) in
            throw BrowserProblem("no text browser is set up")
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

    /// A program without a browser: a device code is shown, whatever it is that shows events.
    public static let deviceCodeOnly = UserAgents(
        automatic: { (.device, "this program opens no browser") },
        openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("this program opens no browser") })

    /// Opens the address as the method has it.
    func open(_ address: WebAddress, by method: SignInMethod) async throws(BrowserProblem) {
        switch method {
        case .text: try await openTextBrowser(address)
        case .privateWindow: try await openPrivateWindow(address)
        case .automatic, .browser, .device, .native: try await openBrowser(address)
        }
    }
}

/// Why a browser was not opened: lower case, no full stop.
public struct BrowserProblem: Error, Hashable, Sendable {
    /// What stood in the way, for ``/Identity/SignInEvent/browserUnavailable(_:)``.
    public var message: String
    /// - Parameter message: lower case, no full stop, no secret.
    public init(_ message: String) { self.message = message }
}
