import Glibc
import TokenCache

extension AgentPlace {
    private static let longestList = 4_194_304

    /// The agent's sockets. Their files change when an agent starts, ends, or calls ``markChange()``.
    package var paths: [String] { [path, forForwarding.path] }

    /// Tells the interfaces that watch the socket's file that pending requests have changed.
    package func markChange() { _ = utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) }

    /// Whether there is a socket, of a running agent or one that was killed.
    package var exists: Bool { paths.contains { access($0, F_OK) == 0 } }

    /// Whether a program is connected to the agent or its forwarding socket, as every caller with a pending request is.
    /// Reads the kernel's list, so the check neither contacts nor starts an agent.
    package var hasVisitors: Bool {
        guard exists else { return false }
        let file = uninterrupted { open("/proc/net/unix", O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return false }
        defer { close(file) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while text.count < Self.longestList {
            let count = uninterrupted { read(file, &chunk, chunk.count) }
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return Self.lists(text, connectionTo: paths)
    }

    /// - Parameter text: of `/proc/net/unix`: number, references, protocol, flags, type, state, inode, path. State 03
    ///   is a connection; only the accepting side has a path.
    static func lists(_ text: [UInt8], connectionTo paths: [String]) -> Bool {
        text.split(separator: 0x0A).contains { line in
            let fields = line.split(separator: 0x20, maxSplits: 7, omittingEmptySubsequences: true)
            return fields.count == 8 && fields[5].elementsEqual("03".utf8)
                && paths.contains { fields[7].drop { $0 == 0x20 }.elementsEqual($0.utf8) }
        }
    }
}
