import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// Connects the network to the state: size limits, the Host check, and delivery faults.
struct Server: Sendable {
    /// Far above any request of our clients.
    static let bodyLimit = 64 << 10
    /// Between two looks at whether a held response is released.
    private static let look = Duration.milliseconds(10)

    let state: LockedProviderState
    let cloud: HostedIssuer.Cloud

    func respond(to request: Request) async throws -> Response {
        guard let base = state.with({ $0.origins.base(for: request.head.authority, arrivedAt: cloud) }) else {
            return Response(
                status: .init(code: 421),
                body: .init(byteBuffer: ByteBuffer(string: "foyer-sandbox answers on loopback names only\n")))
        }
        guard let body = try? await request.body.collect(upTo: Server.bodyLimit) else {
            return Response(status: .contentTooLarge)
        }
        var received = SandboxRequest(request.method.rawValue, request.uri.string, body: String(buffer: body))
        for field in request.headers { received.headers[field.name.canonicalName] = field.value }
        let (answer, releases) = state.with { ($0.answer(received, base: base), $0.script.releases) }
        while answer.isHeld, state.with({ $0.script.releases }) == releases { try await Task.sleep(for: Server.look) }
        if answer.delaySeconds > 0 { try await Task.sleep(for: .seconds(answer.delaySeconds)) }
        return response(from: answer)
    }

    private func response(from answer: SandboxResponse) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        let body = ByteBuffer(string: answer.body)
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.delivery {
        case .whole where answer.isForPeople:
            // w3m uses HTTP/1.0 and reads to the end of the connection; the server library does not report the version.
            headers[.connection] = "close"
            return Response(
                status: status, headers: headers,
                body: ResponseBody(contentLength: body.readableBytes) { writer in
                    try await writer.write(body)
                    try await writer.finish(nil)
                    throw ConnectionEnds()
                })
        case .whole:
            return Response(status: status, headers: headers, body: .init(byteBuffer: body))
        case .cutOff:
            let half = ByteBuffer(string: String(answer.body.prefix(answer.body.count / 2)))
            return Response(
                status: status, headers: headers,
                body: ResponseBody(contentLength: body.readableBytes + 1000) { writer in
                    try await writer.write(half)
                    throw ConnectionEnds()
                })
        case .swollen(let bytes):
            return Response(
                status: status, headers: headers,
                body: ResponseBody { writer in
                    let spaces = ByteBuffer(repeating: UInt8(ascii: " "), count: 64 << 10)
                    var sent = 0
                    while sent < bytes {
                        try await writer.write(spaces)
                        sent += spaces.readableBytes
                    }
                    try await writer.write(body)
                    try await writer.finish(nil)
                })
        }
    }

    /// Thrown while writing a body, this closes the connection after the written part is sent.
    private struct ConnectionEnds: Error {}
}

final class LockedProviderState: Sendable {
    private let mutex: Mutex<ProviderState>

    init(_ state: ProviderState) { mutex = Mutex(state) }

    func with<Value: Sendable>(_ body: (inout ProviderState) -> Value) -> Value { mutex.withLock { body(&$0) } }
}
