import CommandSupport
import Glibc
import StrictJSON
import TokenCache

/// Numbers in the lists of a running agent.
enum AgentNumbers {
    /// Completion must not delay the user's typing.
    private static let patience: Duration = .milliseconds(5)

    /// - Returns: none if no agent runs: connecting would make systemd start one.
    static func of(_ request: AgentRequest, _ list: String) -> [String] {
        let place = AgentPlace(ProcessEnvironment())
        guard isHeld(place.lockPath), let agent = try? AgentConnection(place, patience: patience) else { return [] }
        return agent.ask(request, within: patience)?[list]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    /// Whether a process holds a running agent's lock, by the kernel's list: taking the lock could delay an agent.
    private static func isHeld(_ path: String) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_uid == geteuid() else { return false }
        let file = uninterrupted { open("/proc/locks", O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        var used = 0
        while used < bytes.count {
            let start = used
            let count = bytes.withUnsafeMutableBytes { room in
                uninterrupted { read(file, room.baseAddress.map { $0 + start }, room.count - start) }
            }
            guard count > 0 else { break }
            used += count
        }
        // 1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF
        return String(decoding: bytes[..<used], as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.contains("FLOCK") && fields.contains { $0.hasSuffix(":\(info.st_ino)") }
        }
    }
}
