import Glibc

/// How long a lock is waited for. One holder is given up on after a while, as it may be stuck; where others take turns
/// the lock will come round, so that is waited for longer.
struct LockTurns {
    private struct Holder: Equatable {
        let inode: ino_t
        let seconds: Int
        let nanoseconds: Int

        /// Nil when there is no such file.
        init?(_ file: String) {
            var info = stat()
            guard uninterrupted({ lstat(file, &info) }) == 0 else { return nil }
            let time = info.st_mtim
            (inode, seconds, nanoseconds) = (info.st_ino, Int(time.tv_sec), Int(time.tv_nsec))
        }
    }

    private let wait: Duration
    private let limit: Duration
    private let begin = ContinuousClock.now
    private var holder: Holder?
    private var since = ContinuousClock.now

    /// - Parameters:
    ///   - wait: for one holder; nothing is waited for when it is zero.
    ///   - limit: for all of them together.
    init(wait: Duration, limit: Duration) {
        self.wait = wait
        self.limit = wait == .zero ? .zero : max(wait, limit)
    }

    /// Whether it has been waited for long enough; to be asked each time that the lock was not to be had.
    ///
    /// - Parameter file: the lock file.
    mutating func isOver(_ file: String) -> Bool {
        let now = ContinuousClock.now
        let found = Holder(file)
        // Nil where it was given back. Where nobody has it what hinders is the store itself, which is no turn.
        if found != holder { (holder, since) = (found, now) }
        return now - since >= wait || now - begin >= limit
    }
}
