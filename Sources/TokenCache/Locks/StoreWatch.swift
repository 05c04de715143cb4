import Glibc
import Synchronization

/// Notices moves of a store, for a caller that takes long between choosing it and writing to it: a sign-in whose user
/// is at a browser, a secret that is being typed. It keeps the store's refresh lock file open, with a lock of its own
/// that blocks no other process; a move writes the new location into the file.
final class StoreWatch: Sendable {
    private struct State {
        var descriptor: Int32?
        /// Whether the lock file did not exist before.
        var isMade = false
    }

    private let path: String
    private let state = Mutex(State())

    /// - Parameter path: of the store. Nothing is noticed while its folder does not exist; see ``begin()``.
    init(path: String) {
        self.path = path
        begin()
    }

    deinit {
        state.withLock { state in
            guard let open = state.descriptor else { return }
            // A file that this made is removed, unless others use it.
            if state.isMade, OpenFileLock.set(F_WRLCK, of: open, at: 0, length: 0) == nil,
                RefreshLockFile.isNamed(open, path), let place = try? ResolvedPath(path)
            {
                _ = uninterrupted { unlink(RefreshLockFile.file(place)) }
            }
            close(open)
        }
    }

    /// Begins to watch, if that was not possible before. Never throws: a store that cannot be locked cannot be moved or
    /// written either.
    func begin() {
        state.withLock { state in
            guard state.descriptor == nil, let place = try? ResolvedPath(path), access(place.folder, F_OK) == 0 else {
                return
            }
            let isMade = access(RefreshLockFile.file(place), F_OK) != 0
            for _ in 0..<16 {
                guard let open = try? RefreshLockFile.opened(path) else { return }
                _ = OpenFileLock.set(F_RDLCK, of: open, at: RefreshLockFile.endOfKeys)
                if RefreshLockFile.isNamed(open, path) || StorePlace(in: open) != nil {
                    state = State(descriptor: open, isMade: isMade)
                    return
                }
                close(open)
            }
        }
    }

    /// Where the store is now; nil if it was not moved.
    var place: StorePlace? {
        state.withLock { $0.descriptor }.flatMap { StorePlace(in: $0) }
    }
}
