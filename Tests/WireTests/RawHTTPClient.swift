import Dispatch
import Glibc
import Waiting

/// Somebody at a loopback port with a bare socket: says any bytes, and reads until the other side hangs up.
final class RawHTTPClient: Sendable {
    private let descriptor: CInt

    /// Nil when nobody listens there.
    init?(port: Int, onIPv6: Bool = false, address literal: UInt32 = 0x7F00_0001) {
        descriptor = socket(onIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var patience = timeval(tv_sec: Waiting.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let big = UInt16(truncatingIfNeeded: port).bigEndian
        let result: CInt
        if onIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = big
            address.sin6_addr = in6addr_loopback
            result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = big
            address.sin_addr.s_addr = literal.bigEndian
            result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        // What was made is complete, so `deinit` closes it.
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func say(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Everything until the end of the connection.
    func hear() -> String {
        var heard: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: heard, as: UTF8.self) }
            heard += buffer[..<count]
        }
    }

    /// So many connections on which something was begun, and nothing more comes.
    static func idle(_ count: Int, port: Int, _ beginning: String) async -> [RawHTTPClient] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let clients = (0..<count).compactMap { _ in RawHTTPClient(port: port) }
                for client in clients { client.say(beginning) }
                continuation.resume(returning: clients)
            }
        }
    }

    /// The answer to one GET, as a browser would send it.
    static func get(
        _ target: String, port: Int, host: String? = nil, onIPv6: Bool = false, address: UInt32 = 0x7F00_0001
    ) async -> String {
        await ask(
            "GET \(target) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\nUser-Agent: Browser\r\n\r\n", port: port,
            onIPv6: onIPv6,
            address: address)
    }

    /// On a thread of its own, since bare sockets block.
    static func ask(_ text: String, port: Int, onIPv6: Bool = false, address: UInt32 = 0x7F00_0001) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                guard let client = RawHTTPClient(port: port, onIPv6: onIPv6, address: address) else {
                    return continuation.resume(returning: "nobody")
                }
                client.say(text)
                continuation.resume(returning: client.hear())
            }
        }
    }
}
