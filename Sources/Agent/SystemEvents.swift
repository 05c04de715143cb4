import CLinux
import CommandSupport
import Glibc
import Synchronization
import SystemPackage
import TokenCache

/// Kernel notifications of changes that affect when a refresh is due. Some containers provide none: the clocks are
/// still compared, and the store is read before each refresh.
final class SystemEvents: Sendable {
    enum Change: Hashable, Sendable {
        /// The wall clock was set, or the machine woke.
        case clock
        case network
        case files(folder: String)
    }

    private struct Watches {
        var folders: [Int32: String] = [:]
    }

    private static let mostFolders = 64
    /// Changes within this time (in microseconds) are reported together.
    private static let pause: useconds_t = 250_000

    /// Ends with ``end()``.
    let changes: AsyncStream<Change>
    private let continuation: AsyncStream<Change>.Continuation
    private let clock = foyer_open_clock_changes()
    private let network = foyer_open_network_changes()
    private let files = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    private let ending = SelfPipe()
    private let watches = Mutex(Watches())

    init() {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        // Without a way to stop it, no thread is started.
        if ending == nil || !BlockingThread.start({ [self] in listen() }) { continuation.finish() }
    }

    deinit { for file in [clock, network, files] where file >= 0 { close(file) } }

    func end() { ending?.wake() }

    /// Starts reporting changes in a directory. Has no effect if it is already watched or cannot be.
    func watch(folder: String) {
        guard files >= 0 else { return }
        watches.withLock { watches in
            guard watches.folders.count < Self.mostFolders, !watches.folders.values.contains(folder) else { return }
            // Programs replace a store by renaming, or write it in place.
            let mask = UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR)
            let watch = inotify_add_watch(files, folder, mask)
            if watch >= 0 { watches.folders[watch] = folder }
        }
    }

    private func listen() {
        defer { continuation.finish() }
        guard let ending else { return }
        while true {
            var waiting = [ending.descriptor, clock, network, files].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&waiting, nfds_t(waiting.count), -1) >= 0 || Errno.last == .interrupted else { return }
            guard waiting[0].revents == 0 else { return }
            usleep(Self.pause)
            var found: Set<Change> = []
            if Self.drain(clock, { _ in }) { found.insert(.clock) }
            if Self.drain(network, { _ in }) { found.insert(.network) }
            _ = Self.drain(files) { found.formUnion(changes(in: $0)) }
            for change in found { continuation.yield(change) }
        }
    }

    /// Reads all pending notifications.
    ///
    /// - Returns: whether there were any. A clock change and a queue overflow are reported as errors.
    private static func drain(_ file: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        guard file >= 0 else { return false }
        var isAny = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<64 {
            let count = read(file, &buffer, buffer.count)
            if count > 0 {
                isAny = true
                take(buffer[..<count])
            } else {
                let error = Errno.last
                guard count < 0, error == .canceled || error == .noBufferSpace || error == .interrupted else { break }
                isAny = isAny || error != .interrupted
            }
        }
        return isAny
    }

    /// The directories in a list of `struct inotify_event`, see inotify(7).
    private func changes(in events: ArraySlice<UInt8>) -> Set<Change> {
        watches.withLock { watches in
            var found: Set<Change> = []
            var rest = events
            let head = MemoryLayout<inotify_event>.size
            while rest.count >= head {
                let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
                let isGone = event.mask & UInt32(IN_IGNORED) != 0
                if let folder = isGone ? watches.folders.removeValue(forKey: event.wd) : watches.folders[event.wd] {
                    found.insert(.files(folder: folder))
                }
                rest = rest.dropFirst(head + Int(event.len))
            }
            return found
        }
    }
}
