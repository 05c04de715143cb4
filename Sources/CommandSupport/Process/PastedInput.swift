import Console
import Dispatch
import Glibc
import Synchronization

/// Lines from the terminal with echo off: a redirect URL contains a code, which must not stay in the scrollback.
package enum PastedInput {
    /// Longer than any valid input, in bytes. A longer line is cut, so that it is rejected as too long, not lost.
    package static let maximumLine = 16_400

    package static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let reading = AtomicFlag(true)
            TerminalEcho.off()
            continuation.onTermination = { _ in reading.value = false }
            DispatchQueue.global().async {
                let buffer = LineBuffer()
                var chunk = [UInt8](repeating: 0, count: 4096)
                // Polls with a timeout, to stop reading standard input once the sign-in has ended.
                while reading.value {
                    var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                    guard poll(&file, 1, 200) > 0 else { continue }
                    let count = read(STDIN_FILENO, &chunk, chunk.count)
                    guard count > 0 else { break }
                    for line in buffer.add(chunk[..<count]) { continuation.yield(line) }
                }
                continuation.finish()
            }
        }
    }
}

/// Splits bytes into lines and cuts those that are longer than ``PastedInput/maximumLine``.
package final class LineBuffer: Sendable {
    private let pending = Mutex<[UInt8]>([])

    package func add(_ bytes: ArraySlice<UInt8>) -> [String] {
        pending.withLock { pending in
            var lines: [String] = []
            for byte in bytes {
                guard byte == 0x0A else {
                    if pending.count < PastedInput.maximumLine { pending.append(byte) }
                    continue
                }
                lines.append(String(String(decoding: pending, as: UTF8.self).filter { !$0.isWhitespace }))
                pending.removeAll(keepingCapacity: true)
            }
            return lines.filter { !$0.isEmpty }
        }
    }
}

/// The terminal's echo, off while the user pastes. The end of the sign-in turns it on again, even if the reader still
/// waits; so does Ctrl-\, before it ends the program.
package enum TerminalEcho {
    private struct Saved {
        var settings: termios
        var quit: any DispatchSourceSignal
    }

    private static let before = Mutex<Saved?>(nil)

    package static func off() {
        before.withLock { saved in
            var settings = termios()
            guard saved == nil, isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            signal(SIGQUIT, SIG_IGN)
            let quit = DispatchSource.makeSignalSource(signal: SIGQUIT, queue: .global())
            quit.setEventHandler {
                on()
                ProcessGuard.end(by: SIGQUIT)
            }
            // A signal before the source is registered would be lost.
            let isRegistered = DispatchSemaphore(value: 0)
            quit.setRegistrationHandler { isRegistered.signal() }
            quit.resume()
            _ = isRegistered.wait(timeout: .now() + .seconds(1))
            saved = Saved(settings: settings, quit: quit)
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    package static func on() {
        before.withLock { saved in
            guard var settings = saved?.settings else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            saved?.quit.cancel()
            signal(SIGQUIT, SIG_DFL)
            saved = nil
        }
    }
}

/// A flag that several threads read and write.
package final class AtomicFlag: Sendable {
    private let state: Mutex<Bool>
    package init(_ value: Bool) { state = Mutex(value) }
    package var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
