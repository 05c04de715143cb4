import CLinux
import Glibc

/// Queries a terminal of unknown type: every terminal since the VT100 answers `ESC [ c` (primary device attributes)
/// with `ESC [ ? … c`.
///
/// Keys that are pressed in the meantime are lost, like any input before the first screen.
enum DeviceAttributes {
    /// In milliseconds. A slow line needs about 200, and users do not notice 300.
    private static let patience = 300
    private static let longestAnswer = 4096

    /// Whether the terminal on standard input and output answers. Takes 300 ms if it does not.
    static func areAnswered() -> Bool {
        var modes = termios()
        guard foyer_is_foreground(), tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
        var asking = modes
        asking.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &asking) == 0 else { return false }
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
        guard write(STDOUT_FILENO, "\u{1B}[c", 3) == 3 else { return false }
        let end = ContinuousClock.now + .milliseconds(patience)
        var answer: [UInt8] = []
        while answer.count < longestAnswer {
            let left = (end - .now) / .milliseconds(1)
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&input, 1, Int32(left.rounded(.up))) != 0 else { break }
            var bytes = [UInt8](repeating: 0, count: 256)
            // Interrupted by a signal, such as for a new size.
            if input.revents == 0 { continue }
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { break }
            answer += bytes[..<count]
            if contains(answer) { return true }
        }
        // Discard a partial answer, which later reads must not see.
        tcflush(STDIN_FILENO, TCIFLUSH)
        return false
    }

    static func contains(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let start = rest.firstRange(of: [0x1B, 0x5B, 0x3F]) {
            rest = rest[start.upperBound...]
            let parameters = rest.prefix { (0x30...0x39).contains($0) || $0 == 0x3B }
            if !parameters.isEmpty, rest.dropFirst(parameters.count).first == 0x63 { return true }
        }
        return false
    }
}
