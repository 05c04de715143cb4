// The Linux identity broker, com.microsoft.identity.broker1 on the session bus: a client for another program's broker,
// and foyer's own broker. It must not make decisions of a silent call or use a terminal.

import Bus
package import CommandSupport
import FoundationEssentials
import Glibc
package import Identity
import StrictJSON
import Synchronization
import SystemPackage
import TokenCache

/// The broker's D-Bus service: reads calls, runs a task for each, and sends the responses. One thread owns the bus
/// connection and waits only for the bus and the tasks.
package final class BrokerServer: Sendable {
    /// Pending calls; further callers get a transient error.
    private static let mostCalls = 64
    /// Interval of the check for another installed broker, which reads the service folders of D-Bus.
    private static let lookInterval: Duration = .seconds(5)
    /// Time for pending calls to finish before the broker exits.
    private static let grace: Duration = .seconds(30)

    private let environment: ProcessEnvironment
    private let calls: BrokerCalls
    private let log: BrokerLog
    private let idleTime: Duration
    private let outbox: Outbox
    private let isStopping = Atomic(false)

    /// - Parameter idleTime: time without a call until the broker exits; the bus starts it again when needed.
    package init(
        _ environment: ProcessEnvironment, calls: BrokerCalls, log: BrokerLog, idleTime: Duration
    ) throws(Failure) {
        self.environment = environment
        self.calls = calls
        self.log = log
        self.idleTime = idleTime
        outbox = try Outbox()
    }

    package func stop() {
        isStopping.store(true, ordering: .relaxed)
        outbox.wake()
    }

    /// Blocks until ``stop()``, the bus disconnects, the idle time ends, or another broker is installed.
    ///
    /// - Throws: `configuration` if there is no bus, or another broker exists.
    package func serve() throws(Failure) {
        let file = BrokerServiceFile(environment)
        if let other = file.other {
            throw Failure(.configuration, "another broker is installed: \(other)")
        }
        let bus: MessageBus
        do { bus = try MessageBus(environment) } catch { throw Failure(.configuration, error.message) }
        try takeNames(bus)
        var open: [Int: (call: BusMessage, task: Task<Void, Never>)] = [:]
        var last = ContinuousClock.now
        var number = 0
        var end: ContinuousClock.Instant?
        var nextLook = ContinuousClock.now + Self.lookInterval
        defer { for call in open.values { call.task.cancel() } }
        while true {
            // Messages first: a call to the bus itself may already have read them, and no further wake-up would come.
            guard bus.turn() else { return }
            while let message = bus.next() {
                guard message.isCall else { continue }
                last = .now
                number += 1
                if let task = take(message, bus, number, isFull: open.count >= Self.mostCalls) {
                    open[number] = (message, task)
                }
            }
            for answer in outbox.take() {
                guard let call = open.removeValue(forKey: answer.number)?.call else { continue }
                Self.reply(answer.text, to: call, bus)
                last = .now
            }
            let isIdle = open.isEmpty && calls.isIdle && last + idleTime < .now
            let isReplaced = nextLook < .now && file.other != nil
            if nextLook < .now { nextLook = .now + Self.lookInterval }
            if end == nil, isStopping.load(ordering: .relaxed) || isIdle || isReplaced {
                // New callers start a new broker. Pending calls still get a response.
                bus.release(BrokerInterface.name)
                bus.release(BrokerInterface.ownName)
                calls.stop()
                end = .now + Self.grace
                continue
            }
            if let end, open.isEmpty || end < .now {
                _ = bus.turn()
                return
            }
            bus.wait(or: outbox.descriptor, for: end == nil ? min(Self.lookInterval, idleTime) : .milliseconds(100))
        }
    }

    private func takeNames(_ bus: MessageBus) throws(Failure) {
        do {
            guard try bus.take(BrokerInterface.name) == .owner else {
                let owner = bus.owner(of: BrokerInterface.name).flatMap { bus.process(of: $0) }
                let who = owner.map { BrokerCaller(pid: $0.pid, uid: $0.uid).words } ?? "another program"
                throw Failure(.configuration, "another broker is running: \(who)")
            }
            _ = try bus.take(BrokerInterface.ownName)
        } catch let failure as Failure {
            throw failure
        } catch let trouble as MessageBus.Trouble {
            throw Failure(.configuration, trouble.message)
        } catch { throw Failure(.configuration, "cannot query the bus") }
    }

    // MARK: Calls

    /// - Returns: the task that will respond; nil if the response was already sent.
    private func take(_ message: BusMessage, _ bus: MessageBus, _ number: Int, isFull: Bool) -> Task<Void, Never>? {
        if message.interface == "org.freedesktop.DBus.Introspectable", message.member == "Introspect" {
            Self.reply(BrokerInterface.description, to: message, bus)
            return nil
        }
        if message.interface == "org.freedesktop.DBus.Peer", message.member == "Ping" {
            if let reply = message.reply() { bus.send(reply) }
            return nil
        }
        guard message.path == BrokerInterface.path,
            message.interface ?? BrokerInterface.interface
                == BrokerInterface.interface,
            let method = message.member.flatMap(BrokerInterface.Method.init(rawValue:))
        else {
            if message.wantsAnswer,
                let refusal = message.refusal("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
            {
                bus.send(refusal)
            }
            return nil
        }
        guard let sender = message.sender, let process = bus.process(of: sender), process.uid == geteuid() else {
            return refuse(message, bus, BrokerRefusal(.apiContractViolation, "foyer: unknown caller"))
        }
        guard !isFull else {
            return refuse(message, bus, BrokerRefusal(.transientError, "foyer: too many calls"))
        }
        guard let correlationID = message.text(1), let json = message.text(2) else {
            return refuse(message, bus, BrokerRefusal(.apiContractViolation, "foyer: three strings expected"))
        }
        return Task { [calls, log, outbox] in
            let caller = await BlockingExecutor.run { BrokerCaller(pid: process.pid, uid: process.uid) }
            let answer = await calls.answer(method, correlationID, json, caller)
            await BlockingExecutor.run { log.add(answer.entry, at: Date()) }
            outbox.put(number, answer.json.serialized())
        }
    }

    private func refuse(_ message: BusMessage, _ bus: MessageBus, _ refusal: BrokerRefusal) -> Task<Void, Never>? {
        Self.reply(refusal.json.serialized(), to: message, bus)
        return nil
    }

    private static func reply(_ text: String, to message: BusMessage, _ bus: MessageBus) {
        guard message.wantsAnswer, let reply = message.reply() else { return }
        reply.add(text)
        bus.send(reply)
    }
}

/// Passes responses from the tasks to the thread that owns the bus.
private final class Outbox: Sendable {
    private let pipe: SelfPipe
    private let answers = Mutex<[(number: Int, text: String)]>([])

    init() throws(Failure) {
        guard let pipe = SelfPipe() else { throw Failure(.configuration, "out of file descriptors: \(Errno.last)") }
        self.pipe = pipe
    }

    var descriptor: Int32 { pipe.descriptor }

    func put(_ number: Int, _ text: String) {
        answers.withLock { $0.append((number, text)) }
        wake()
    }

    func take() -> [(number: Int, text: String)] {
        pipe.drain()
        return answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }

    func wake() { pipe.wake() }
}
