import Glibc
import TokenCache

/// That an interface is open, which shows what waits at the agent: a shared lock beside the agent's socket, which ends
/// with the process.
package final class OpenInterface: Sendable {
    private let file: Int32

    /// - Returns: nil where there is no place for it; then nobody is asked in this interface but by the agent itself.
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

    /// Whether a person is likely to see what waits.
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
