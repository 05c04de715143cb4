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
    private let begin: ContinuousClock.Instant
    /// The last holder found, and since when; nil before the first failed attempt.
    private var last: (file: Holder?, since: ContinuousClock.Instant)?

    /// - Parameter wait: limit for one holder; zero means no wait at all.
    init(wait: Duration, limit: Duration, begin: ContinuousClock.Instant = .now) {
        self.wait = wait
        self.begin = begin
        self.limit = wait == .zero ? .zero : max(wait, limit)
    }

    /// Whether a limit has been reached; to be called after each failed attempt.
    ///
    /// A holder's time starts when it is first found: a process that was stopped during its first attempt gets another.
    mutating func isOver(_ file: String, now: ContinuousClock.Instant = .now) -> Bool {
        // Nil after a release. While no one holds the lock, the store itself is the obstacle: that counts as one wait.
        let found = Holder(file)
        let since = if let last, last.file == found { last.since } else { now }
        last = (found, since)
        return now - since >= wait || now - begin >= limit
    }
}
