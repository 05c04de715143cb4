import Identity
import NIOCore
import NIOHTTP1
import Synchronization

/// Classifies each request on the loopback address and chooses the response.
final class LoopbackRequestHandler: Sendable {
    /// A status and a fixed page; nothing from the request is echoed.
    struct Response {
        var status: HTTPResponseStatus
        var page: String
        var location: String?
        /// Runs once the page is sent, since the receiver of the result may exit immediately.
        var afterwards: (@Sendable () -> Void)?
    }

    private struct State {
        var port = 0
        var host = ""
        var isAnswered = false
        var cameWithoutState = false
        var connections: [any Channel] = []
    }

    enum Expected: Sendable {
        case authorization(AuthorizationExpectation)
        /// OpenID Connect RP-Initiated Logout section 3: only the state.
        case signOut(state: Secret)
    }

    enum Return: Sendable {
        case authorization(AuthorizationAnswer)
        case signOut(SignOutReturn)
    }

    typealias ReturnResult = Result<Return, WireError>

    private static let mostConnections = 64
    private let path: String
    private let expected: Expected
    private let sink: AsyncStream<ReturnResult>.Continuation
    private let onUnexpectedRequest: @Sendable (StrayRequest) -> Void
    private let state = Mutex(State())

    init(
        path: String, expected: Expected, sink: AsyncStream<ReturnResult>.Continuation,
        onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) {
        self.path = path
        self.expected = expected
        self.sink = sink
        self.onUnexpectedRequest = onUnexpectedRequest
    }

    /// - Parameter host: the redirect URI's host, an IPv6 literal in brackets.
    func open(port: Int, host: String) {
        state.withLock { state in
            state.port = port
            state.host = host
        }
    }

    /// Half-open connections must not block the real one: each has five seconds, and excess ones are closed, oldest
    /// first.
    func admit(_ channel: any Channel) {
        channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
        let oldest = state.withLock { state -> (any Channel)? in
            state.connections.removeAll { !$0.isActive }
            state.connections.append(channel)
            return state.connections.count > Self.mostConnections ? state.connections.removeFirst() : nil
        }
        oldest?.close(promise: nil)
    }

    var allowedMethods: String { takesForms ? "GET, POST" : "GET" }

    private var takesForms: Bool {
        if case .authorization(let expectation) = expected { return expectation.responseMode == .formPost }
        return false
    }

    /// - Parameter body: of a POST; limited together with its headers by ``RequestSizeLimit``.
    func judge(_ head: HTTPRequestHead, body: [UInt8] = []) -> Response {
        let (port, own) = state.withLock { ($0.port, $0.host) }
        let hosts = ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "\(own):\(port)"]
        guard head.headers["host"].count == 1, let host = head.headers.first(name: "host"),
            hosts.contains(host.asciiLowercased)
        else {
            return stray(.badRequest, "a request for another host")
        }
        let isForm = head.method == .POST && takesForms
        guard head.method == .GET || isForm else { return stray(.methodNotAllowed, "a request with the wrong method") }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == path else { return stray(.notFound, "a request for another page") }
        let text: String
        if isForm {
            let type = head.headers.first(name: "content-type")?.prefix { $0 != ";" }.filter { $0 != " " }
            guard type.map({ String($0).asciiLowercased }) == "application/x-www-form-urlencoded",
                let form = String(validating: body, as: UTF8.self)
            else { return stray(.badRequest, "a malformed form") }
            text = form
        } else {
            text = parts.count == 2 ? String(parts[1]) : ""
        }
        guard let fields = FormEncoding.decode(text) else { return strayAnswer("an unreadable response") }
        switch expected {
        case .authorization(let expectation): return judge(fields, expectation, isBare: text.isEmpty)
        case .signOut(let state): return judge(fields, state)
        }
    }

    private func judge(_ fields: [String: String], _ expectation: AuthorizationExpectation, isBare: Bool) -> Response {
        if isBare {
            // Browsers do not send the part after #.
            return stray(.badRequest, "a request without a response", ClosingPage.bare)
        }
        // A later request may be the real one.
        guard expectation.hasRightState(fields) else { return strayAnswer("a response to another sign-in") }
        guard isFirst() else { return stray(.notFound, "a repeated response") }
        let answer: ReturnResult
        do throws(WireError) { answer = .success(.authorization(try expectation.answer(fields))) } catch {
            answer = .failure(error)
        }
        let tell: @Sendable () -> Void = { [sink] in sink.yield(answer) }
        if case .success(.authorization(.code)) = answer {
            return Response(status: .ok, page: ClosingPage.received, afterwards: tell)
        }
        return Response(status: .ok, page: ClosingPage.refused, afterwards: tell)
    }

    /// Some providers drop the state. Any local program can request the page without one, so this proves nothing and
    /// does not end the wait; a different state is not for this sign-out.
    private func judge(_ fields: [String: String], _ expected: Secret) -> Response {
        guard let found = fields["state"] else {
            let isNews = state.withLock { state in
                defer { state.cameWithoutState = true }
                return !state.cameWithoutState
            }
            return Response(status: .ok, page: ClosingPage.perhapsSignedOut) { [sink] in
                if isNews { sink.yield(.success(.signOut(.unconfirmed))) }
            }
        }
        guard Secret(found).isEqual(constantTime: expected) else {
            return strayAnswer("a response to another sign-out")
        }
        guard isFirst() else { return stray(.notFound, "a repeated response") }
        return Response(status: .ok, page: ClosingPage.signedOut) { [sink] in sink.yield(.success(.signOut(.confirmed)))
        }
    }

    private func isFirst() -> Bool {
        state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
    }

    private func strayAnswer(_ what: String) -> Response {
        onUnexpectedRequest(.answer(what))
        return Response(status: .badRequest, page: ClosingPage.stray)
    }

    private func stray(_ status: HTTPResponseStatus, _ what: String, _ page: String = ClosingPage.stray) -> Response {
        onUnexpectedRequest(.other(what))
        return Response(status: status, page: page)
    }
}

package enum StrayRequest: Sendable {
    /// A response, but not to this request: another tab, an old page, or an attack.
    case answer(String)
    case other(String)

    package var words: String {
        switch self {
        case .answer(let words), .other(let words): words
        }
    }
}

/// The final pages in the browser: fixed, without scripts or anything from the request.
enum ClosingPage {
    static let received = page("Back to the terminal", "Response received. You can close this page.")
    static let refused = page("Not signed in", "The terminal says why. You can close this page.")
    static let stray = page("Nothing here", "A sign-in is waiting here for a different response.")

    static let nothing = page("Nothing here", "Return to where you came from. You can close this page.")
    static let used = page(
        "Already used",
        """
        This link works only once. If nothing else opened, start again in the terminal.
        """
    )

    static let signedOut = page(
        "Back to the terminal", "The provider has ended its session in this browser. You can close this page.")
    static let perhapsSignedOut = page(
        "Back to the terminal",
        "The provider's page shows whether you are signed out. You can close this page.")
    static let bare = page(
        "No response here",
        """
        If the URL of this page contains a #, copy the whole URL into the terminal. Otherwise close this page; \
        the sign-in is still waiting.
        """
    )

    private static func page(_ title: String, _ text: String) -> String {
        """
        <!doctype html><html lang=\"en\"><head><meta \
        charset=\"utf-8\"><title>\(title)</title></head><body><h1>\(title)</h1><p>\(text)</p></body></html>\n
        """
    }
}
