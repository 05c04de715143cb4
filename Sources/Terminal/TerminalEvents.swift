import CLinux
import CNcurses
import Console
import Glibc

package enum TerminalEvent: Equatable, Sendable {
    /// Keys are pending; read them, then call `resumeInput`.
    case input
    /// The window size changed; call `takesSize`, then query it.
    case resize
    case signal(Int32)
    /// The terminal is gone for the rest of the process.
    case hangup
    case wake
}

/// Waits for standard input and signals with poll(2) on its own thread. Signal handlers only write one byte to a pipe.
/// After `.input`, standard input is ignored until `resumeInput`, to avoid spinning while keys are pending. After
/// `.resize`, no other is sent until `takesSize`, as a dragged window changes faster than it can be drawn.
///
/// If the terminal does not read, as after Ctrl-S or on a frozen connection, drawing blocks. So after a terminating
/// signal, the program has some time to react; then the terminal is restored without waiting.
package final class TerminalEvents: Sendable {
    /// Real-time signals also terminate a program.
    fileprivate static let ending = EndingSignals.numbers + (34...64)
    private static let others: [Int32] = [SIGTSTP, SIGCONT, SIGWINCH]

    package let events: AsyncStream<TerminalEvent>
    private let writeEnd: Int32
    private let caught: [Int32]

    /// Nil if the system has no pipe or thread left.
    package init?() {
        var readEnd: Int32 = -1
        var writeEnd: Int32 = -1
        guard foyer_pipe(&readEnd, &writeEnd) else { return nil }
        // Nothing may be dropped: without an `.input`, reading would stop, and without a signal, the program would not
        // end.
        let (stream, continuation) = AsyncStream<TerminalEvent>.makeStream(bufferingPolicy: .unbounded)
        events = stream
        self.writeEnd = writeEnd
        let waiting = Unmanaged.passRetained(EventThread(readEnd: readEnd, continuation: continuation))
        var thread = pthread_t()
        let made = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<EventThread>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, waiting.toOpaque())
        guard made == 0 else {
            waiting.release()
            close(readEnd)
            close(writeEnd)
            return nil
        }
        pthread_detach(thread)
        // Ignored signals, as by nohup, stay ignored.
        let wanted = Self.ending.filter { !foyer_is_ignored($0) } + Self.others
        caught = wanted.filter { foyer_catch_signal($0, writeEnd) }
    }

    package func resumeInput() { send(.resume) }

    /// The window size is about to be queried; later changes are reported again.
    package func takesSize() { send(.size) }

    /// Leaves standard input to another program until `resumeInput`.
    package func pauseInput() { send(.pause) }

    package func wake() { send(.wake) }

    /// Restores the signals and ends the stream. The pipe's writing end stays open, as a signal handler may be using
    /// it.
    package func stop() {
        for number in caught { foyer_release_signal(number) }
        send(.stop)
    }

    private func send(_ order: PipeCommand) {
        var byte = order.rawValue
        while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
    }
}

/// The pipe carries signal numbers (1 to 64) and these.
private enum PipeCommand: UInt8 {
    case stop = 0xFC
    case pause, resume, wake
    case size = 0xFB
}

private final class EventThread {
    private let readEnd: Int32
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    /// When to give up the terminal after a terminating signal.
    private var deadline: ContinuousClock.Instant?
    private var isEnding = false
    private var looksAtInput = true
    private var sizeIsTold = false
    private var sizeIsNewSince = false
    private var wasInBackground = false
    private var isOver = false

    init(readEnd: Int32, continuation: AsyncStream<TerminalEvent>.Continuation) {
        (self.readEnd, self.continuation) = (readEnd, continuation)
    }

    func run() {
        foyer_block_all_signals()
        while !isOver {
            // poll ignores negative descriptors. In the background, input belongs to other programs. A shell does not
            // always signal the return to the foreground, so this check reports it instead.
            let asksLater = looksAtInput && !foyer_is_foreground()
            if wasInBackground, looksAtInput, !asksLater { continuation.yield(.signal(SIGCONT)) }
            if looksAtInput { wasInBackground = asksLater }
            let input = looksAtInput && !asksLater ? STDIN_FILENO : -1
            var files = [
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&files, nfds_t(files.count), pause(asksLater)) >= 0 else {
                if errno == EINTR { continue }
                break
            }
            if files[0].revents != 0 { readOrders() }
            if files[1].revents != 0, looksAtInput, !isOver { lookAtInput(files[1].revents) }
            if let end = deadline, !isOver, .now >= end {
                deadline = nil
                TerminalGuard.abandon()
            }
        }
        continuation.finish()
        close(readEnd)
    }

    /// In milliseconds, for poll(2).
    private func pause(_ asksLater: Bool) -> Int32 {
        let left = deadline.map { Int32(max(0, ($0 - .now) / .milliseconds(1)).rounded(.up)) }
        return asksLater ? min(left ?? 500, 500) : left ?? -1
    }

    /// A terminal that is gone has no byte, and says so; without a byte alone, another reader was faster.
    private func lookAtInput(_ found: Int16) {
        looksAtInput = false
        let isGone = found & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        continuation.yield(isGone && foyer_pending_input(STDIN_FILENO) <= 0 ? .hangup : .input)
    }

    private func readOrders() {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(readEnd, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 { isOver = true }
            return
        }
        for byte in bytes[..<count] {
            switch PipeCommand(rawValue: byte) {
            case .stop: isOver = true
            case .pause: looksAtInput = false
            case .resume: looksAtInput = true
            case .wake: continuation.yield(.wake)
            case .size:
                sizeIsTold = false
                if sizeIsNewSince { tellSize() }
            case nil where Int32(byte) == SIGWINCH: tellSize()
            case nil:
                continuation.yield(.signal(Int32(byte)))
                if !isEnding, TerminalEvents.ending.contains(Int32(byte)) {
                    isEnding = true
                    deadline = .now + .seconds(TerminalGuard.patience)
                }
            }
        }
    }

    private func tellSize() {
        sizeIsNewSince = sizeIsTold
        guard !sizeIsTold else { return }
        sizeIsTold = true
        continuation.yield(.resize)
    }
}
