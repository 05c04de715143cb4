package import CommandSupport
import Glibc
import SystemPackage
import TokenCache

/// Lets one process per home folder do something at a time; the others wait. Released when the process ends for any
/// reason.
package struct InterprocessLock: ~Copyable {
    package enum Purpose: String, Sendable {
        case question = "program-question"
        case setup
    }

    private let file: Int32

    /// Blocks the thread. Returns nil after the time limit, or if the lock file cannot be created.
    package init?(_ purpose: Purpose, _ environment: ProcessEnvironment, limit: Duration) {
        Folder.make(environment.stateFolder)
        let path = environment.stateFolder + "/\(purpose.rawValue).lock"
        let opened = uninterrupted { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard opened >= 0 else { return nil }
        let deadline = ContinuousClock.now + limit
        while uninterrupted({ flock(opened, LOCK_EX | LOCK_NB) }) != 0 {
            guard Errno.last == .wouldBlock, ContinuousClock.now < deadline else {
                close(opened)
                return nil
            }
            usleep(50_000)
        }
        file = opened
    }

    deinit { close(file) }
}
