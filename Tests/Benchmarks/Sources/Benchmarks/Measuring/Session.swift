import Glibc

/// A program in a pseudo-terminal of 80 by 24, which is read as fast as it writes.
final class Session {
    /// How long the terminal must be silent before a repaint counts as complete, in milliseconds.
    struct Silence {
        let milliseconds: Int32
        /// For a program that has nothing else to do.
        static let long = Silence(milliseconds: 40)
        /// For one that goes on in the background and paints again by itself.
        static let short = Silence(milliseconds: 5)
    }

    let process: pid_t
    private let start: Double
    private let terminal: Int32

    init?(_ command: Command) {
        // Linux's own calls behind openpty: unlock the new pseudo-terminal and ask for its number.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0
        else { return nil }
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        start = Clock.now
        guard let child = Child.spawn(command, &actions, inSession: true) else {
            close(master)
            return nil
        }
        terminal = master
        process = child
    }

    /// Seconds from before the start to the last byte of the first complete screen: the one in which `word` has come
    /// `times` times, with what follows it without a pause.
    ///
    /// - Parameter limit: seconds after which it is given up.
    func firstScreen(_ word: String, times: Int, silence: Silence, limit: Double = 10) -> Double? {
        let word = Array(word.utf8)
        var seen: [UInt8] = []
        var last: Double?
        while Clock.now - start < limit {
            guard let output = read(within: last == nil ? 1000 : silence.milliseconds) else {
                if let last { return last - start }
                continue
            }
            guard !output.bytes.isEmpty else { return nil }
            if last != nil {
                last = output.at
                continue
            }
            seen += output.bytes
            if Self.count(word, in: seen) >= times { last = output.at }
        }
        return last.map { $0 - start }
    }

    func press(_ key: String) {
        let bytes = Array(key.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    /// Seconds from the press to the last byte of the repaint; nil when nothing was painted.
    func time(_ key: String, silence: Silence) -> Double? {
        let pressed = Clock.now
        press(key)
        guard let first = read(within: 2000), !first.bytes.isEmpty else { return nil }
        var last = first.at
        while let more = read(within: silence.milliseconds), !more.bytes.isEmpty { last = more.at }
        return last - pressed
    }

    /// Reads until nothing has come for that many milliseconds, or ten seconds have passed.
    func settle(_ milliseconds: Int32 = 40) {
        let begin = Clock.now
        while Clock.now - begin < 10, let output = read(within: milliseconds), !output.bytes.isEmpty {}
    }

    /// Asks it to quit, and ends it when it has not after some seconds.
    func end(_ key: String = "q") {
        press(key)
        let begin = Clock.now
        while Clock.now - begin < 5, read(within: 200)?.bytes.isEmpty != true {}
        var hasEnded = false
        for _ in 0..<100 where !hasEnded {
            hasEnded = waitpid(process, nil, WNOHANG) != 0
            if !hasEnded { usleep(10_000) }
        }
        if !hasEnded {
            kill(process, SIGKILL)
            _ = Child.wait(process)
        }
        close(terminal)
    }

    /// What came and when; nil after `milliseconds` of silence, and no bytes once the program is gone.
    private func read(within milliseconds: Int32) -> (bytes: ArraySlice<UInt8>, at: Double)? {
        var file = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&file, 1, milliseconds) > 0 else { return nil }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(terminal, &chunk, chunk.count)
        return (chunk[..<max(0, count)], Clock.now)
    }

    private static func count(_ word: [UInt8], in text: [UInt8]) -> Int {
        var found = 0
        var index = 0
        while index + word.count <= text.count {
            if text[index] == word[0], text[index..<index + word.count].elementsEqual(word) {
                found += 1
                index += word.count
            } else {
                index += 1
            }
        }
        return found
    }
}
