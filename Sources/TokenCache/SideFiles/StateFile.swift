import Glibc
import SystemPackage

/// A small file of this program's that several processes change, each by its whole text: read again under a lock,
/// written aside, put in place at once.
package struct StateFile: Sendable {
    private let path: String
    private let maximumBytes: Int
    private let lockWait: Duration

    /// - Parameters:
    ///   - path: absolute.
    ///   - maximumBytes: a larger file is none of ours.
    ///   - lockWait: how long another writer is waited for; short, since what is kept in such files is no credential.
    package init(path: String, maximumBytes: Int, lockWait: Duration = .seconds(1)) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.lockWait = lockWait
    }

    /// What it holds; nil when it is not there.
    ///
    /// - Throws: what ``FileStore`` finds; `tooLarge`.
    package func read() throws(StoreError) -> [UInt8]? {
        guard let bytes = try FileStore(path: path).read()?.bytes else { return nil }
        guard bytes.count <= maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        return bytes
    }

    /// Replaces the text by what the body makes of it; mode 0600 in folders of 0700.
    ///
    /// - Parameter body: gets nil when there is no file, or none of ours.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func change(_ body: ([UInt8]?) -> [UInt8]) throws(StoreError) {
        try holding { () throws(StoreError) in try put(body(try? read())) }
    }

    /// Runs a body, which is to be short and may ``read()`` and ``put(_:)``, while no other process changes the file.
    ///
    /// - Throws: ``StoreError``, such as `locked`; then the body was not run. Else what the body throws.
    package func holding<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        let place = try ResolvedPath(path)
        try place.makeFolder()
        return try StoreLock.holding(place, wait: lockWait, body)
    }

    /// Replaces the text, whatever it was: for one of which the newest is right, and which nobody reads to change it;
    /// else by the body of ``holding(_:)``.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func put(_ bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= maximumBytes else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        let place = try ResolvedPath(path)
        try place.makeFolder()
        try FileStore(path: path).write(bytes, at: place)
    }

    /// What a process that was killed has left beside the file.
    package func clearLeftovers() {
        if let place = try? ResolvedPath(path) { StoreLock.clear(place) }
    }

    /// Removes the file itself where the path is a link; what is not there is no fault.
    package func remove() throws(StoreError) {
        let place = try ResolvedPath(path)
        guard uninterrupted({ unlink(place.file) }) == 0 || Errno.last == .noSuchFileOrDirectory else {
            throw .system("unlink", path: path)
        }
    }
}
