import Glibc
package import SystemPackage

/// Makes a system call until no signal interrupts it: EINTR says that nothing was done yet, and is no failure.
///
/// Not for close(2): on Linux the descriptor is closed even then, and may be another's by the second call.
@inline(__always)
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer != -1 || Errno.last != .interrupted { return answer }
    }
}

extension Errno {
    /// What the call before has failed with; to be asked for right after it.
    package static var last: Errno { Errno(rawValue: errno) }

    /// Whether there is nothing of the name that was given.
    package var isAbsence: Bool { self == .noSuchFileOrDirectory || self == .notDirectory }
}
