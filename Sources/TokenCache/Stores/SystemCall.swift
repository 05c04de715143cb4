import Glibc
package import SystemPackage

/// Repeats a system call while it fails with EINTR, which means that nothing was done yet.
///
/// Not for close(2): on Linux the descriptor is closed even then, and its number can be in use again.
@inline(__always)
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer != -1 || Errno.last != .interrupted { return answer }
    }
}

extension Errno {
    /// The error of the last system call; read it right after the call.
    package static var last: Errno { Errno(rawValue: errno) }

    /// Whether the file does not exist.
    package var isAbsence: Bool { self == .noSuchFileOrDirectory || self == .notDirectory }
}
