package import CommandSupport
import Glibc
import SystemPackage
import TokenCache

/// The turn to do something that only one process of a home folder may do at a time: the others wait. It goes back when
/// the process ends, however it ends.
package struct ProcessTurn: ~Copyable {
    package enum Purpose: String, Sendable {
        /// To ask the person.
        case question = "program-question"
        /// To change what other programs have in their configuration.
        case setup
    }

    private let file: Int32

    /// Waits for the turn; holds the thread.
    ///
    /// - Returns: nil when it has not come within the time, or there is no place for the lock.
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
