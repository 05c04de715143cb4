import Glibc
import SystemPackage

/// A small foyer file that processes change as a whole: read again under a lock, written aside, and renamed.
package struct StateFile: Sendable {
    private let path: String
    private let maximumBytes: Int
    private let lockWait: Duration

    /// - Parameter lockWait: how long to wait for another writer; short, as these files contain no credentials.
    package init(path: String, maximumBytes: Int, lockWait: Duration = .seconds(1)) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.lockWait = lockWait
    }

    /// The content; nil if the file does not exist.
    package func read() throws(StoreError) -> [UInt8]? {
        guard let bytes = try FileStore(path: path).read()?.bytes else { return nil }
        guard bytes.count <= maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        return bytes
    }

    /// Replaces the content with the body's result. Mode 0600, in folders of mode 0700. The body receives nil if the
    /// file is missing; one that cannot be read is not replaced.
    package func change(_ body: ([UInt8]?) -> [UInt8]) throws(StoreError) {
        try holding { () throws(StoreError) in try put(body(read())) }
    }

    /// Runs a short body, which can call ``read()`` and ``put(_:)``, while no other process changes the file.
    package func holding<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        let place = try ResolvedPath(path)
        try place.makeFolder()
        return try StoreLock.holding(place, wait: lockWait, body)
    }

    /// Replaces the content unconditionally. Outside of ``holding(_:)`` only for files where the newest version is
    /// always right and no process modifies the old one.
    package func put(_ bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        let place = try ResolvedPath(path)
        try place.makeFolder()
        try FileStore(path: path).write(bytes, at: place)
    }

    /// Removes temporary files and locks of killed processes.
    package func clearLeftovers() {
        if let place = try? ResolvedPath(path) { StoreLock.clear(place) }
    }

    /// Removes the file, or the target of a link; a missing file is not an error.
    package func remove() throws(StoreError) {
        let place = try ResolvedPath(path)
        try place.checkReplaceable()
        guard uninterrupted({ unlink(place.file) }) == 0 || Errno.last == .noSuchFileOrDirectory else {
            throw .system("unlink", path: path)
        }
        AtomicFile.syncFolder(of: place.file)
    }
}
