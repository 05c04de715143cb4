import Glibc
import Synchronization

/// Proof that a store's next content can be written, obtained before a step that cannot be undone: redeeming a refresh
/// token or prompting the user.
///
/// The store was locked, parsed completely and found to be writable; if the file system supports it, the space is
/// reserved in a file without a name.
package final class WriteReservation: Sendable {
    /// Bytes a store can grow by for one response: two long tokens of 8 KB each, and their metadata.
    static let growth = 32_768

    private let descriptor: Mutex<Int32?>

    /// - Parameter descriptor: a file without a name, which this closes; nil if no space is reserved.
    init(descriptor: Int32? = nil) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// Hands over the file; the caller closes it.
    ///
    /// - Returns: nil if no space is reserved, or no longer.
    func take() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Releases the space; does nothing the second time.
    package func release() {
        if let descriptor = take() { close(descriptor) }
    }
}
