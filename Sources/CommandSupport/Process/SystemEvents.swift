import CLinux
import Glibc
import Synchronization
import SystemPackage
import TokenCache

/// Changes that the kernel reports: of files, of the clock, of the network. Some containers report none of the latter
/// two.
package final class SystemEvents: Sendable {
    package enum Change: Hashable, Sendable {
        /// The wall clock was set, or the machine woke.
        case clock
        case network
        case file(String)
    }

    /// Changes within this time (in microseconds) are reported together.
    private static let pause: useconds_t = 250_000
    /// Milliseconds between comparisons of files whose changes the kernel does not report.
    private static let comparisonInterval: Int32 = 2_000

    private let news: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let pending = Mutex<Set<Change>>([])
    private let clock: Int32
    private let network: Int32
    private let files = Mutex(FileWatches())
    private let waker = SelfPipe()
    private let isOver = AtomicFlag(false)

    /// - Parameters:
    ///   - reportsClock: whether to report changes of the clock.
    ///   - reportsNetwork: whether to report changes of the network.
    package init(clock reportsClock: Bool = false, network reportsNetwork: Bool = false) {
        clock = reportsClock ? foyer_open_clock_changes() : -1
        network = reportsNetwork ? foyer_open_network_changes() : -1
        (news, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Without a way to stop it, no thread is started.
        if waker == nil || !BlockingThread.start({ [self] in listen() }) { continuation.finish() }
    }

    deinit { for file in [clock, network] where file >= 0 { close(file) } }

    /// The changes since the last element, until ``end()``; for one reader.
    package var changes: AsyncCompactMapSequence<AsyncStream<Void>, Set<Change>> {
        news.compactMap { [self] in
            pending.withLock { pending in
                defer { pending = [] }
                // A slow reader took these with the element before.
                return pending.isEmpty ? nil : pending
            }
        }
    }

    /// How often the clocks must be compared, because the kernel does not report their changes; nil if it does.
    package var longestPause: Duration? { clock < 0 ? .seconds(15) : nil }

    package func end() {
        isOver.value = true
        waker?.wake()
    }

    /// Starts reporting changes of a file, which need not exist. Has no effect if it is already watched.
    package func watch(_ path: String) {
        let needsComparison = files.withLock { files in
            files.watch(path)
            return files.needsComparison
        }
        if needsComparison { waker?.wake() }
    }

    private func listen() {
        defer { continuation.finish() }
        guard let waker else { return }
        while !isOver.value {
            let (descriptor, needsComparison) = files.withLock { ($0.descriptor, $0.needsComparison) }
            var waiting = [waker.descriptor, clock, network, descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let ready = poll(&waiting, nfds_t(waiting.count), needsComparison ? Self.comparisonInterval : -1)
            guard ready >= 0 || Errno.last == .interrupted else { return }
            guard waiting[0].revents == 0 else {
                waker.drain()
                continue
            }
            if ready > 0 { usleep(Self.pause) }
            var found = Set(files.withLock { $0.changes() }.map(Change.file))
            if FileWatches.drain(clock, { _ in }) { found.insert(.clock) }
            if FileWatches.drain(network, { _ in }) { found.insert(.network) }
            guard !found.isEmpty else { continue }
            pending.withLock { $0.formUnion(found) }
            continuation.yield()
        }
    }
}
