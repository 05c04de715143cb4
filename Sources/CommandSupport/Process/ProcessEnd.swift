import Console
import Dispatch
import Glibc
package import Identity
package import SilentFirst
import Synchronization

/// How the program ends when a signal wants it to: never between a refresh token that was sent and the new one that is
/// stored.
package enum ProcessEnd {
    /// Those of the whole program.
    package static let refreshes = RefreshesUnderWay()

    /// A cancelled task has so many seconds to clean up.
    private static let grace = 1.0

    /// Runs work that may redeem a refresh token. A signal gives the work up, and the program dies of it when the work
    /// has ended. The work itself must not block, and an application's calls do not.
    package static func minding<Value: Sendable>(_ work: @escaping @Sendable () async -> Result<Value, Failure>)
        async throws(Failure) -> Value
    {
        let task = Task { await work() }
        let received = Mutex<Int32?>(nil)
        let watch = Interrupt.watch { number in
            received.withLock { $0 = number }
            task.cancel()
            soon(by: number)
        }
        defer { watch.cancel() }
        let result = await task.value
        if let number = received.withLock({ $0 }) {
            await refreshes.stored()
            now(by: number)
        }
        return try result.get()
    }

    /// Nothing more is sent, and the program ends when the last answer is stored and what was given up has had time to
    /// end by itself.
    package static func soon(by number: Int32) {
        refreshes.refuseMore()
        if !refreshes.isEmpty { sayWaiting() }
        DispatchQueue.global().asyncAfter(deadline: .now() + grace) { refreshes.whenStored { now(by: number) } }
    }

    package static func now(by number: Int32) {
        Echo.on()
        ProcessGuard.end(by: number)
    }

    /// For a person who waits at the terminal; scripts get no such line.
    package static func sayWaiting() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        Output.write("foyer: waiting for the answer to a refresh, so that the sign-in is not lost\n", to: STDERR_FILENO)
    }
}
