import CLinux
import Glibc
import SystemPackage
import TokenCache

/// Wakes a thread that waits in poll(2) from another thread.
package final class SelfPipe: Sendable {
    /// Readable from ``wake()`` until ``drain()``.
    package let descriptor: Int32
    private let end: Int32

    /// Nil if no descriptors are left.
    package init?() {
        var ends: (Int32, Int32) = (-1, -1)
        guard foyer_pipe(&ends.0, &ends.1) else { return nil }
        (descriptor, end) = ends
    }

    deinit {
        close(descriptor)
        close(end)
    }

    package func wake() {
        // May fail: a full pipe is already readable.
        var byte: UInt8 = 0
        _ = write(end, &byte, 1)
    }

    package func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Waits for ``wake()``; false after a timeout.
    package func wait(for time: Duration) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&waiting, 1, Int32(clamping: Int64(time / .milliseconds(1)))) } > 0
    }
}
