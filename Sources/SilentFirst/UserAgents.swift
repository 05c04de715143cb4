public import Identity

/// How a person can be reached, told by the program: the library opens nothing by itself.
public struct UserAgents: Sendable {
    /// What `automatic` means here, and why, in words for a person.
    public var automatic: @Sendable () -> (method: SignInMethod, reason: String)
    /// Opens an address in a browser and returns at once. Throws what stood in the way; the sign-in goes on, for the address can be opened by hand.
    public var openBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Opens an address in a text browser in this terminal and returns when it was left.
    public var openTextBrowser: @Sendable (WebAddress) async throws(BrowserProblem) -> Void
    /// Lines that the person pastes while a loopback sign-in waits: the redirect URL, or the code alone.
    public var pastedLines: @Sendable () -> AsyncStream<String>

    public init(
        automatic: @escaping @Sendable () -> (method: SignInMethod, reason: String),
        openBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void,
        openTextBrowser: @escaping @Sendable (WebAddress) async throws(BrowserProblem) -> Void = { _ throws(BrowserProblem) in
            throw BrowserProblem("no text browser is set up")
        },
        pastedLines: @escaping @Sendable () -> AsyncStream<String> = { AsyncStream { $0.finish() } }
    ) {
        self.automatic = automatic
        self.openBrowser = openBrowser
        self.openTextBrowser = openTextBrowser
        self.pastedLines = pastedLines
    }

    /// A program without a browser: a device code is shown, whatever it is that shows events.
    public static let deviceCodeOnly = UserAgents(
        automatic: { (.device, "this program opens no browser") },
        openBrowser: { _ throws(BrowserProblem) in throw BrowserProblem("this program opens no browser") })
}

/// Why a browser was not opened: lower case, no full stop.
public struct BrowserProblem: Error, Hashable, Sendable {
    public var message: String
    public init(_ message: String) { self.message = message }
}
