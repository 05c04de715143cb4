import Bus
import CommandSupport
import Glibc
import Logging
import Synchronization
import SystemPackage
import TokenCache

/// Signals of logind on the system bus, see org.freedesktop.login1(5): the machine is about to sleep or has woken, or
/// the user's screen was locked. Without logind there are none.
final class LoginManager: Sendable {
    enum Signal: Hashable, Sendable { case sleepsSoon, woke, screenLocked }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = name + ".Manager"
    private static let patience: Duration = .seconds(5)
    /// Delay before looking again for a bus that is missing or was lost.
    private static let pause: Duration = .seconds(60)

    /// Ends with ``end()``.
    let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation
    private let ending = SelfPipe()
    /// While it is open, the machine waits a few seconds before sleeping.
    private let inhibitor = Mutex<Int32?>(nil)
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        // Without a way to stop it, no thread is started.
        if ending == nil || !BlockingThread.start({ [self] in listen() }) { continuation.finish() }
    }

    func end() { ending?.wake() }

    func letSleep() {
        let file = inhibitor.withLock { file in
            defer { file = nil }
            return file
        }
        if let file { close(file) }
    }

    private func listen() {
        defer { continuation.finish() }
        guard let ending else { return }
        repeat {
            if let bus = try? MessageBus.ofSystem() { follow(bus, ending) }
            letSleep()
        } while !ending.wait(for: Self.pause)
    }

    /// Returns when the connection is lost or ``end()`` was called.
    private func follow(_ bus: MessageBus, _ ending: SelfPipe) {
        // Only signals of logind itself: the bus knows the owner of its name.
        let rules = [(Self.manager, "PrepareForSleep"), (Self.name + ".Session", "Lock")]
        for (interface, member) in rules {
            guard bus.hears("type='signal',sender='\(Self.name)',interface='\(interface)',member='\(member)'") else {
                return
            }
        }
        holdSleep(bus)
        while bus.turn() {
            while let message = bus.next() {
                guard message.isSignal else { continue }
                switch message.member {
                case "PrepareForSleep" where message.number == 1: continuation.yield(.sleepsSoon)
                case "PrepareForSleep":
                    holdSleep(bus)
                    continuation.yield(.woke)
                case "Lock":
                    if let session = message.path, isOurs(session, bus) { continuation.yield(.screenLocked) }
                default: break
                }
            }
            bus.wait(or: ending.descriptor, for: Self.pause)
            if ending.wait(for: .zero) { return }
        }
    }

    private func holdSleep(_ bus: MessageBus) {
        guard let call = BusMessage(name: Self.name, path: Self.path, interface: Self.manager, member: "Inhibit") else {
            return
        }
        for text in ["sleep", "foyer agent", "a refresh is being stored", "delay"] { call.add(text) }
        guard let file = (try? bus.ask(call, within: Self.patience))?.descriptor else {
            return logger.info("cannot delay sleep during a refresh: no logind inhibitor")
        }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        letSleep()
        inhibitor.withLock { $0 = file }
    }

    private func isOurs(_ session: String, _ bus: MessageBus) -> Bool {
        let call = BusMessage(
            name: Self.name, path: session, interface: "org.freedesktop.DBus.Properties", member: "Get")
        guard let call else { return false }
        call.add(Self.name + ".Session")
        call.add("User")
        return (try? bus.ask(call, within: Self.patience))?.innerNumber == geteuid()
    }
}
