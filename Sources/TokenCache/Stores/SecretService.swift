import Glibc
import Synchronization

/// The Secret Service of the session, through libsecret, which is loaded on first use: file stores do not need it.
///
/// Every call is limited to two seconds. libsecret would wait 25 s for a service that does not respond, and
/// indefinitely for an unlock prompt that the user may not see. So this never unlocks: a locked keyring is an error.
/// Each call runs on its own thread and is cancelled through its GCancellable on timeout; if that has no effect, the
/// thread is abandoned.
package enum SecretService {
    /// A working service responds in milliseconds.
    static let limit: Duration = .seconds(2)

    /// The content of an item; nil if there is none.
    static func read(_ item: KeyringItem) throws(KeyringTrouble) -> [UInt8]? {
        let library = try library()
        return try run { cancellable throws(KeyringTrouble) in try library.search(item, cancellable) }
    }

    /// Replaces the item's content, or creates the item in the default keyring.
    static func write(_ text: [UInt8], _ item: KeyringItem) throws(KeyringTrouble) {
        guard text.count <= StoreSize.maximumInKeyring else { throw .tooLarge(bytes: text.count) }
        // libsecret takes a C string, which ends at a zero byte.
        guard !text.contains(0) else { throw .refused("the text contains a zero byte") }
        let library = try library()
        try run { cancellable throws(KeyringTrouble) in
            try library.expectUnlocked(cancellable)
            try library.store(text, item, cancellable)
        }
    }

    static func remove(_ item: KeyringItem) throws(KeyringTrouble) {
        let library = try library()
        try run { cancellable throws(KeyringTrouble) in
            guard try library.search(item, cancellable) != nil else { return }
            try library.clear(item, cancellable)
        }
    }

    /// Whether new items could be saved: the service responds, and its default keyring exists and is unlocked.
    package static func check() throws(KeyringTrouble) {
        let library = try library()
        try run { cancellable throws(KeyringTrouble) in try library.expectUnlocked(cancellable) }
    }

    private static func library() throws(KeyringTrouble) -> Libsecret {
        guard let library = Libsecret.shared else { throw .missing("libsecret-1.so.0 is not installed") }
        return library
    }

    // MARK: The limit

    /// Runs a body on its own thread for at most ``limit``.
    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Libsecret.Cancellable) throws(KeyringTrouble) -> Value
    )
        throws(KeyringTrouble) -> Value
    {
        guard let cancellable = Libsecret.Cancellable() else { throw .missing("GLib is not installed") }
        let call = TimedCall { () -> Result<Value, KeyringTrouble> in
            do throws(KeyringTrouble) { return .success(try body(cancellable)) } catch { return .failure(error) }
        }
        guard call.start() else { throw .refused("cannot start a thread") }
        if let outcome = call.wait(limit) { return try outcome.get() }
        cancellable.cancel()
        // A cancelled call returns immediately, and may have succeeded at the last moment.
        if let outcome = call.wait(.milliseconds(300)), case .success(let value) = outcome { return value }
        throw .silent
    }
}

/// A body on a thread that can be abandoned.
private final class TimedCall<Value: Sendable>: Sendable {
    private let body: @Sendable () -> Value
    private let outcome = Mutex<Value?>(nil)
    private let ends: (read: Int32, write: Int32)

    init(_ body: @escaping @Sendable () -> Value) {
        self.body = body
        var pipeEnds: [Int32] = [-1, -1]
        if pipe(&pipeEnds) == 0 { for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        ends = (pipeEnds[0], pipeEnds[1])
    }

    deinit {
        if ends.read >= 0 { close(ends.read) }
        if ends.write >= 0 { close(ends.write) }
    }

    func start() -> Bool {
        guard ends.read >= 0 else { return false }
        // The thread retains the call, and with it the pipe, while it runs.
        return BlockingThread.start { [self] in
            let value = body()
            outcome.withLock { $0 = value }
            var byte: UInt8 = 1
            _ = write(ends.write, &byte, 1)
        }
    }

    func wait(_ limit: Duration) -> Value? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let value = outcome.withLock({ $0 }) { return value }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return nil }
            var file = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
            let parts = left.components
            _ = poll(&file, 1, Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1))
        }
    }
}
