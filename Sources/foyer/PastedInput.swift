import Dispatch
import Glibc
import Synchronization

/// Lines from the terminal with the echo off: a redirect URL holds a code, which has no place in the scrollback.
enum PastedInput {
    static let maximumLine = 8192

    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let reading = Atomically(true)
            Echo.off()
            continuation.onTermination = { _ in reading.value = false }
            DispatchQueue.global().async {
                let buffer = LineBuffer()
                var chunk = [UInt8](repeating: 0, count: 4096)
                // Looks up a few times a second whether the sign-in still waits: standard input is left alone afterwards.
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

/// Puts bytes together to lines, bounded; what is longer than a line may be is dropped.
final class LineBuffer: Sendable {
    private let pending = Mutex<[UInt8]>([])

    func add(_ bytes: ArraySlice<UInt8>) -> [String] {
        pending.withLock { pending in
            pending += bytes
            var lines: [String] = []
            while let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                lines.append(String(line.filter { !$0.isWhitespace }))
                pending.removeSubrange(...end)
            }
            if pending.count > PastedInput.maximumLine { pending = [] }
            return lines.filter { !$0.isEmpty }
        }
    }
}

/// The terminal's echo, off while something is pasted. Whoever ends the sign-in turns it on again, also when the reader is still waiting.
enum Echo {
    private static let before = Mutex<termios?>(nil)

    static func off() {
        before.withLock { saved in
            var settings = termios()
            guard saved == nil, isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            saved = settings
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    static func on() {
        before.withLock { saved in
            guard var settings = saved else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            saved = nil
        }
    }
}

/// A value that several threads look at.
final class Atomically: Sendable {
    private let state: Mutex<Bool>
    init(_ value: Bool) { state = Mutex(value) }
    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
