import Glibc
import Identity

/// A client of a few lines, independent of the code under test: one GET over a plain socket.
enum Socket {
    struct Reply: Sendable {
        var head = ""

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name + ":") {
                return line.dropFirst(name.utf8.count + 1).drop(while: \.isWhitespace).description
            }
            return nil
        }
    }

    static func get(_ url: String, userAgent: String = "test") async -> Reply {
        guard let address = try? WebAddress(url), let port = address.port else { return Reply() }
        return await withCheckedContinuation { continuation in
            var thread = pthread_t()
            let work = Unmanaged.passRetained(
                Work { continuation.resume(returning: exchange(address, port, userAgent)) })
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, work.toOpaque())
            pthread_detach(thread)
        }
    }

    /// Blocking reads have a thread of their own, so that they starve nobody.
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private static func exchange(_ address: WebAddress, _ port: Int, _ userAgent: String) -> Reply {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = in_port_t(UInt16(port).bigEndian)
        target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return Reply() }
        let path = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?" + $0 } ?? "")
        let request =
            """
            GET \(path) HTTP/1.1\r\nHost: \(address.hostAndPort)\r\nUser-Agent: \(userAgent)\r\nConnection: \
            close\r\n\r\n
            """
        _ = Array(request.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 1_048_576 {
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return Reply(head: text.firstRange(of: "\r\n\r\n").map { String(text[..<$0.lowerBound]) } ?? text)
    }
}
