import Console
import Dispatch
import Glibc
import Synchronization

/// Cancels the running work on Ctrl-C, SIGTERM and the like, so that a listener closes and the error is reported.
package enum Interrupt {
    /// Watches may be nested; the innermost is called.
    package struct Watch {
        fileprivate let number: Int
        package func cancel() { Interrupt.cancel(number) }
    }

    private struct State {
        var signals: EndingSignals?
        var source: (any DispatchSourceRead)?
        var caught: [Int32] = []
        var actions: [(number: Int, action: @Sendable (Int32) -> Void)] = []
        var lastNumber = 0
    }

    private static let state = Mutex(State())

    /// - Parameter action: called with the number of each signal.
    package static func watch(_ action: @escaping @Sendable (Int32) -> Void) -> Watch {
        state.withLock { state in
            if state.signals == nil { state.signals = EndingSignals() }
            state.lastNumber += 1
            state.actions.append((state.lastNumber, action))
            if state.actions.count == 1, let signals = state.signals {
                if state.source == nil {
                    let source = DispatchSource.makeReadSource(fileDescriptor: signals.pipe, queue: .global())
                    source.setEventHandler { for number in signals.read() { tell(number) } }
                    source.resume()
                    state.source = source
                }
                state.caught = signals.watch()
            }
            return Watch(number: state.lastNumber)
        }
    }

    private static func tell(_ number: Int32) {
        let action = state.withLock { $0.actions.last?.action }
        // The last watch has just ended: the signal ends the program, as it would a moment later.
        if let action { action(number) } else { end(by: number) }
    }

    /// Ends the program by a signal, with the terminal's echo on.
    package static func end(by number: Int32) {
        TerminalEcho.on()
        ProcessGuard.end(by: number)
    }

    private static func cancel(_ number: Int) {
        state.withLock { state in
            state.actions.removeAll { $0.number == number }
            guard state.actions.isEmpty else { return }
            state.signals?.release(state.caught)
            state.caught = []
        }
    }
}
