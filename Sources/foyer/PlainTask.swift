import Glibc
import Identity
import Synchronization

/// What is under way in the plain interface, so that Ctrl-C gives up that and, when nothing is, the program.
enum PlainTask {
    private static let current = Mutex<(@Sendable () -> Void)?>(nil)

    static func watchInterrupt() -> Interrupt.Watch {
        Interrupt.watch {
            let giveUp = current.withLock { $0 }
            guard let giveUp else { exit(Failure.Code.cancelled.exitStatus) }
            giveUp()
        }
    }

    static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Result<Value, Failure>) async throws(Failure) -> Value {
        let task = Task { await work() }
        current.withLock { $0 = { task.cancel() } }
        defer { current.withLock { $0 = nil } }
        return try await task.value.get()
    }
}
