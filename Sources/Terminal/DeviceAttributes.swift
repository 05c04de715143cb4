import CProcess
import Glibc

/// Asks the terminal itself what it is, where its name says nothing: primary device attributes, `ESC [ c`, which every
/// terminal since the VT100 answers by `ESC [ ? … c`.
///
/// What is typed meanwhile is read with the answer and lost, as everything is that was typed before the first screen.
enum DeviceAttributes {
    /// In milliseconds. Over a slow line an answer takes about 200; a person does not notice 300.
    private static let patience = 300
    private static let longestAnswer = 4096

    /// Whether the terminal of standard input and output answers. Takes 300 ms where it does not.
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
            // A signal has come, such as of a new size.
            if input.revents == 0 { continue }
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { break }
            answer += bytes[..<count]
            if contains(answer) { return true }
        }
        // The beginning of an answer is nothing for who reads next.
        tcflush(STDIN_FILENO, TCIFLUSH)
        return false
    }

    /// Whether an answer is among what was read.
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
