import Glibc
import Synchronization

/// That the next content of a store can be kept, found out before something is done that cannot be undone: a refresh
/// token is spent, a person is asked.
///
/// The store was locked, understood as a whole and found to be writable; where the file system can do it, the space is
/// held as a file without a name.
package final class WriteReservation: Sendable {
    /// How much a store may grow by what one answer brings: two tokens of eight kilobytes, which are long ones, and
    /// what is noted beside them.
    static let growth = 32_768

    private let descriptor: Mutex<Int32?>

    /// - Parameter descriptor: of a file without a name, which this closes; nil where no space is held.
    init(descriptor: Int32? = nil) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// Hands the file over to who uses it, and closes it.
    ///
    /// - Returns: nil when no space is held, or not any more.
    func take() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Gives the space back; does nothing the second time.
    package func release() {
        if let descriptor = take() { close(descriptor) }
    }
}
