import Glibc

/// How long to wait for a lock. One holder can be stuck, so its limit is shorter than that of a lock that changes
/// hands.
struct LockQueue {
    private struct Holder: Equatable {
        let inode: ino_t
        let seconds: Int
        let nanoseconds: Int

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

    /// - Parameter wait: limit for one holder; zero means no wait at all.
    init(wait: Duration, limit: Duration) {
        self.wait = wait
        self.limit = wait == .zero ? .zero : max(wait, limit)
    }

    /// Whether a limit has been reached; to be called after each failed attempt.
    mutating func isOver(_ file: String) -> Bool {
        let now = ContinuousClock.now
        let found = Holder(file)
        // Nil after a release. While no one holds the lock, the store itself is the obstacle: that counts as one wait.
        if found != holder { (holder, since) = (found, now) }
        return now - since >= wait || now - begin >= limit
    }
}
