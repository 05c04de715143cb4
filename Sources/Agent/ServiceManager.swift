import Glibc

/// Notifies the service manager, see sd_notify(3). Does nothing without `NOTIFY_SOCKET`.
struct ServiceManager: Sendable {
    private let path: String?

    /// Removes the variable from the environment: child processes are not services.
    init() {
        path = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
    }

    func ready() { tell("READY=1\nSTATUS=Serving tokens\n") }
    func stopping() { tell("STOPPING=1\n") }

    /// A lost message does no harm: the manager has its own timeouts.
    private func tell(_ message: String) {
        guard let path, path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count < 108 else { return }
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return }
        defer { close(file) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8)
            // The name of an abstract socket begins with a zero byte.
            if path.hasPrefix("@") { room[0] = 0 }
        }
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count
        let text = Array(message.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(file, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}
