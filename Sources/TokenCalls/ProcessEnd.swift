import CommandSupport
import Dispatch
import Glibc
package import Identity
package import SilentFirst
import Synchronization

/// Ends the program on a signal, but never between sending a refresh token and storing its replacement.
package enum ProcessEnd {
    package static let refreshes = RefreshesUnderWay()

    /// Seconds for a cancelled task to clean up.
    private static let grace = 1.0

    /// Runs work that may use a refresh token. A signal cancels the work; the process dies of the signal once the work
    /// has ended. The work must not block its thread.
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
            Interrupt.end(by: number)
        }
        return try result.get()
    }

    /// Waits for the response to a refresh whose caller already has the error. A signal ends the program once it
    /// is stored.
    package static func lateAnswer() async {
        guard !refreshes.isEmpty else { return }
        sayWaiting()
        let watch = Interrupt.watch { soon(by: $0) }
        defer { watch.cancel() }
        await withCheckedContinuation { continuation in
            let waiting = Waiting(continuation)
            refreshes.whenStored { waiting.end() }
            DispatchQueue.global().asyncAfter(deadline: .now() + longestWait) { waiting.end() }
        }
    }

    private final class Waiting: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        /// The first call ends the wait.
        func end() {
            let waiting = continuation.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            waiting?.resume()
        }
    }

    /// Seconds that a command lives on after its time-out; the agent waits for longer.
    private static let longestWait = 20.0

    /// Starts no more refreshes, and ends the program once the last response is stored and cancelled tasks have had
    /// time to clean up.
    package static func soon(by number: Int32) {
        refreshes.refuseMore()
        if !refreshes.isEmpty { sayWaiting() }
        DispatchQueue.global().asyncAfter(deadline: .now() + grace) {
            refreshes.whenStored { Interrupt.end(by: number) }
        }
    }

    /// Only on a terminal; scripts do not get this line.
    package static func sayWaiting() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        Output.write("foyer: finishing a refresh, to keep the sign-in\n", to: STDERR_FILENO)
    }
}
