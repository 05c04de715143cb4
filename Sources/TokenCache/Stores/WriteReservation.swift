import Glibc
import Synchronization

/// Proof that a store's next content can be written, obtained before a step that cannot be undone: redeeming a refresh
/// token or prompting the user.
///
/// The store was locked, parsed completely and found to be writable; if the file system supports it, the space is
/// reserved in a file without a name, and the lock file of that write is made.
package final class WriteReservation: Sendable {
    /// Bytes a store can grow by for one response: two long tokens of 8 KB each, and their metadata.
    static let growth = 32_768

    private struct Files {
        var content: Int32?
        var lock: Int32?
        var keyLease: StoreKeyLease?
    }

    private let files: Mutex<Files>
    /// The folder of the lock file.
    private let folder: String

    /// - Parameters:
    ///   - descriptor: a file without a name, which this closes; nil if no space is reserved.
    ///   - lock: a signed lock file without a name, in the folder, which this closes.
    init(descriptor: Int32? = nil, lock: Int32? = nil, in folder: String = "") {
        files = Mutex(Files(content: descriptor, lock: lock))
        self.folder = folder
    }

    deinit { release() }

    /// Hands over the file; the caller closes it.
    ///
    /// - Returns: nil if no space is reserved, or no longer.
    func take() -> Int32? {
        files.withLock { files in
            defer { files.content = nil }
            return files.content
        }
    }

    /// Uses the reserved lock file, once.
    ///
    /// - Parameter name: gives it its name; nil if the name is taken.
    /// - Returns: nil if there is none for this name, or no longer.
    func lock(_ file: String, name: (Int32) -> Int32?) -> Int32? {
        guard ResolvedPath.folder(of: file) == folder else { return nil }
        return files.withLock { files in
            guard let lock = files.lock, let named = name(lock) else { return nil }
            files.lock = nil
            return named
        }
    }

    /// The key of an `encrypted:` store for this write.
    var keyLease: StoreKeyLease? { files.withLock { $0.keyLease } }

    func hold(_ lease: StoreKeyLease) { files.withLock { $0.keyLease = lease } }

    /// Releases the space; does nothing the second time.
    package func release() {
        let files = files.withLock { files in
            defer { files = Files() }
            return files
        }
        for descriptor in [files.content, files.lock] { if let descriptor { close(descriptor) } }
    }
}
