import Glibc
import Identity
import SilentFirst
import Synchronization

/// What is under way in the plain interface, so that Ctrl-C gives up that and, when nothing is, the program. Other
/// signals end the program.
enum PlainTask {
    private static let current = Mutex<(@Sendable () -> Void)?>(nil)

    static func watchInterrupt() -> Interrupt.Watch {
        Interrupt.watch { number in
            let giveUp = current.withLock { $0 }
            giveUp?()
            guard number == SIGINT else { return ProcessEnd.soon(by: number) }
            guard giveUp == nil else {
                if !ProcessEnd.refreshes.isEmpty { ProcessEnd.sayWaiting() }
                return
            }
            ProcessEnd.refreshes.refuseMore()
            ProcessEnd.refreshes.whenStored { exit(Failure.Code.cancelled.exitStatus) }
        }
    }

    static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Result<Value, Failure>)
        async throws(Failure) -> Value
    {
        let task = Task { await work() }
        current.withLock { $0 = { task.cancel() } }
        defer { current.withLock { $0 = nil } }
        return try await task.value.get()
    }
}
