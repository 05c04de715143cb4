import Glibc
import TokenCache

/// Marks an open interface, which shows the agent's pending requests: a shared lock next to the agent's socket,
/// released when the process ends.
package final class OpenInterface: Sendable {
    private let file: Int32

    /// - Returns: nil if the lock file cannot be created; the agent then does not know of this interface.
    package init?(_ place: AgentPlace) {
        guard (try? place.prepareFolder()) != nil else { return nil }
        let opened = Self.open(place, O_RDWR | O_CREAT)
        guard opened >= 0 else { return nil }
        guard OpenFileLock.set(F_RDLCK, of: opened, at: 0) == nil else {
            close(opened)
            return nil
        }
        file = opened
    }

    deinit { close(file) }

    /// Whether the user is likely to see pending requests.
    package static func isAny(_ place: AgentPlace) -> Bool {
        let file = open(place, O_RDWR)
        guard file >= 0 else { return false }
        defer { close(file) }
        return OpenFileLock.isHeldElsewhere(file, at: 0)
    }

    private static func open(_ place: AgentPlace, _ flags: Int32) -> Int32 {
        uninterrupted { Glibc.open(place.folder + "/interface.lock", flags | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    }
}
