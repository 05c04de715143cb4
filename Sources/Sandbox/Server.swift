import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// From the network to the ledger and back: bounds, the Host check, and the faults of delivery.
struct Server: Sendable {
    /// Nothing a client of ours sends is anywhere near this.
    static let bodyLimit = 64 << 10

    let ledger: LockedLedger
    let scheme: String
    let port: Mutexed<Int>

    func respond(to request: Request) async throws -> Response {
        guard let base = base(for: request.head.authority) else {
            return Response(
                status: .init(code: 421), body: .init(byteBuffer: ByteBuffer(string: "foyer-sandbox answers on loopback names only\n")))
        }
        guard let body = try? await request.body.collect(upTo: Server.bodyLimit) else {
            return Response(status: .contentTooLarge)
        }
        var inquiry = Inquiry(request.method.rawValue, request.uri.string, body: String(buffer: body))
        for field in request.headers { inquiry.headers[field.name.canonicalName] = field.value }
        let answer = ledger.with { $0.answer(inquiry, base: base) }
        if answer.delaySeconds > 0 { try await Task.sleep(for: .seconds(answer.delaySeconds)) }
        return response(from: answer)
    }

    /// Another name for this address may belong to a page that means harm (DNS rebinding).
    private func base(for authority: String?) -> String? {
        let port = port.value
        guard let authority, !authority.isEmpty else { return "\(scheme)://127.0.0.1:\(port)" }
        let known = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        return known.contains(authority.lowercased()) ? "\(scheme)://\(authority.lowercased())" : nil
    }

    private func response(from answer: Answer) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        let body = ByteBuffer(string: answer.body)
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.delivery {
        case .whole where answer.isForPeople:
            // w3m speaks HTTP/1.0 and reads until the connection ends; the server below does not see the version.
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

    /// Thrown from a body, this closes the connection once what was written is out.
    private struct ConnectionEnds: Error {}
}

/// The ledger behind its lock.
final class LockedLedger: Sendable {
    private let mutex: Mutex<Ledger>

    init(_ ledger: Ledger) { mutex = Mutex(ledger) }

    func with<Value: Sendable>(_ body: (inout Ledger) -> Value) -> Value { mutex.withLock { body(&$0) } }
}

/// A value that is settled after others were told about it.
final class Mutexed<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }
}
