import Glibc

/// Which `foyer store lock` was the last one of an `encrypted:` store, in a file next to it.
///
/// A process keeps the key of a store that it has opened. It keeps the mark with it, and drops both once the file has
/// another one: so a lock closes the store in every process, also where the kernel keyring is not available. An open
/// interface watches the file, and is closed immediately.
struct StoreLockMark: Equatable, Sendable {
    static let suffix = ".lastlock"
    private static let length = 16
    private static let maximumBytes = 256

    /// Nil if the store was never locked.
    private let content: [UInt8]?

    /// The present mark of a store.
    ///
    /// - Parameter path: the store's.
    /// - Throws: if the file cannot be read: the store then counts as locked.
    init(ofStore path: String) throws(StoreError) { content = try Self.file(path).read() }

    /// Every process that has opened the store closes it.
    static func renew(ofStore path: String) throws(StoreError) {
        let hex = SealedHeader.random(length).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        try file(path).put(Array((hex.joined() + "\n").utf8))
    }

    /// Lets the processes that watch the file look again; the mark stays.
    static func touch(ofStore path: String) {
        guard let place = try? ResolvedPath(path) else { return }
        _ = uninterrupted { utimensat(AT_FDCWD, place.file + suffix, nil, 0) }
    }

    private static func file(_ path: String) throws(StoreError) -> StateFile {
        StateFile(path: try ResolvedPath(path).file + suffix, maximumBytes: maximumBytes)
    }
}
