import Glibc
import Synchronization

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

/// Turns the terminal's echo off, and on again.
final class SilentEcho: Sendable {
    private let before = Mutex<termios?>(nil)

    init() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        let saved = settings
        before.withLock { $0 = saved }
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    func restore() {
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
