import Identity
import NIOCore
import NIOHTTP1
import Synchronization

/// Decides what each request on the loopback address is, and how it is answered.
final class RedirectDesk: Sendable {
    /// A decision: the status and the fixed page that goes with it; nothing of the request is echoed (atk-H9).
    struct Verdict: Equatable {
        var status: HTTPResponseStatus
        var page: String
    }

    private struct State {
        var port = 0
        var isAnswered = false
        var connections: [any Channel] = []
    }

    private static let mostConnections = 64
    private let path: String
    private let expectation: AuthorizationExpectation
    private let sink: AsyncStream<Result<AuthorizationAnswer, WireError>>.Continuation
    private let onStray: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(
        path: String, expectation: AuthorizationExpectation, sink: AsyncStream<Result<AuthorizationAnswer, WireError>>.Continuation,
        onStray: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.expectation = expectation
        self.sink = sink
        self.onStray = onStray
    }

    func open(port: Int) { state.withLock { $0.port = port } }

    /// Half-open connections must not keep the real one out: each has five seconds, and the oldest goes when there are too many (atk-H7).
    func admit(_ channel: any Channel) {
        channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
        let oldest = state.withLock { state -> (any Channel)? in
            state.connections.removeAll { !$0.isActive }
            state.connections.append(channel)
            return state.connections.count > Self.mostConnections ? state.connections.removeFirst() : nil
        }
        oldest?.close(promise: nil)
    }

    func judge(_ head: HTTPRequestHead) -> Verdict {
        let port = state.withLock { $0.port }
        let hosts = ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"]
        guard head.headers["host"].count == 1, let host = head.headers.first(name: "host"), hosts.contains(host.asciiLowercased) else {
            return stray(.badRequest, "a request for another host")
        }
        guard head.method == .GET else { return stray(.methodNotAllowed, "a request that is no GET") }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == path else { return stray(.notFound, "a request for another page") }
        guard parts.count == 2, let fields = FormEncoding.decode(String(parts[1])), expectation.hasRightState(fields) else {
            // Another request may still be the real one (atk-C1, atk-H2).
            return stray(.badRequest, "an answer to another sign-in")
        }
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        guard isFirst else { return stray(.notFound, "the same answer again") }
        let answer: Result<AuthorizationAnswer, WireError>
        do throws(WireError) { answer = .success(try expectation.answer(fields)) } catch { answer = .failure(error) }
        sink.yield(answer)
        if case .success(.code) = answer { return Verdict(status: .ok, page: ClosingPage.received) }
        return Verdict(status: .ok, page: ClosingPage.refused)
    }

    private func stray(_ status: HTTPResponseStatus, _ what: String) -> Verdict {
        onStray(what)
        return Verdict(status: status, page: ClosingPage.stray)
    }
}

/// The pages that the browser ends on: fixed, without script, without anything from the request.
enum ClosingPage {
    static let received = page("Back to the terminal", "The answer has arrived. You can close this page.")
    static let refused = page("Not signed in", "The terminal says why. You can close this page.")
    static let stray = page("Nothing here", "A sign-in waits on this address for another answer.")

    private static func page(_ title: String, _ text: String) -> String {
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>\(title)</title></head><body><h1>\(title)</h1><p>\(text)</p></body></html>\n"
    }
}
