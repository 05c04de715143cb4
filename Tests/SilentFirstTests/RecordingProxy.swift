import Glibc
import Identity
import Synchronization
import Wire

@testable import Sandbox

/// A proxy before the provider: records each request, and lets a test act between a request and its response.
final class RecordingProxy: Sendable {
    /// What came in.
    struct Asked: Sendable {
        var path: String
        /// The form of the body.
        var fields: [String: String]
    }

    let baseURL: String
    private let file: Int32
    private let log = Log()

    private final class Log: Sendable {
        let entries = Mutex<[Asked]>([])
    }

    /// - Parameter meanwhile: called before the provider gets the request; a response that it returns replaces the
    ///   provider's.
    init(_ provider: SandboxProvider, meanwhile: @escaping @Sendable (Asked) -> SandboxResponse?) throws {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, size) == 0 && listen(file, 16) == 0 && getsockname(file, $0, &size) == 0
            }
        }
        guard isOpen else { throw SandboxProvider.StartError.notListening("errno \(errno)") }
        let base = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        baseURL = base
        self.file = file
        Socket.onThread { [log] in
            while true {
                let caller = accept(file, nil, nil)
                guard caller >= 0 else { return }
                defer { Glibc.close(caller) }
                guard let inquiry = Self.inquiry(Socket.read(caller, until: Self.isWhole)) else { continue }
                let asked = Asked(path: inquiry.path, fields: FormEncoding.decode(inquiry.body) ?? [:])
                log.entries.withLock { $0.append(asked) }
                let answer = meanwhile(asked) ?? provider.state.with { $0.answer(inquiry, base: base) }
                Socket.write(caller, Self.text(answer))
            }
        }
    }

    func close() {
        shutdown(file, Int32(SHUT_RDWR))
        Glibc.close(file)
    }

    /// What the token endpoints were asked, in order.
    var tokenRequests: [Asked] { requests("/token") }

    /// What was asked at paths with this end, in order.
    func requests(_ end: String) -> [Asked] { log.entries.withLock { $0 }.filter { $0.path.hasSuffix(end) } }

    private static func isWhole(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("content-length:")
        }
        return text[end.upperBound...].utf8.count >= length.flatMap { Int($0.drop { $0 != " " }.dropFirst()) } ?? 0
    }

    private static func inquiry(_ text: String) -> SandboxRequest? {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        var inquiry = SandboxRequest(String(words[0]), String(words[1]), body: String(text[end.upperBound...]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            inquiry.headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        return inquiry
    }

    private static func text(_ answer: SandboxResponse) -> String {
        let headers = answer.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return
            """
            HTTP/1.1 \(answer.status) Words\r\n\(headers)Content-Length: \(answer.body.utf8.count)\r\nConnection: \
            close\r\n\r\n\(answer.body)
            """
    }
}

extension Socket {
    /// Blocking calls have a thread of their own, so that they starve nobody.
    fileprivate static func onThread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Errand>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Errand(body)).toOpaque())
        pthread_detach(thread)
    }

    private final class Errand: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    fileprivate static func write(_ file: Int32, _ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads until it is enough, the other side is done, or a mebibyte has come.
    fileprivate static func read(_ file: Int32, until isEnough: (String) -> Bool) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 1_048_576 {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
            if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension World {
    /// Runs a recording proxy before the provider for as long as the body runs.
    func withProxy(
        _ meanwhile: @escaping @Sendable (RecordingProxy.Asked) -> SandboxResponse? = { _ in nil },
        _ body: (RecordingProxy) async throws -> Void
    ) async throws {
        let proxy = try RecordingProxy(provider, meanwhile: meanwhile)
        defer { proxy.close() }
        try await body(proxy)
    }
}
