import Glibc

/// The interface, measured through a pseudo-terminal as a slow line would see it.
enum Screen {
    /// POSIX_SPAWN_SETSID of glibc, whose module hides it.
    private static let spawnInNewSession: Int16 = 0x80

    static func measure(_ foyer: String, store: String, environment: [String]) {
        var frames: [Double] = []
        var keys: [Double] = []
        var bytes = 0
        for _ in 0..<10 {
            guard let session = Session(foyer, store: store, environment: environment) else {
                return print("first frame: no pseudo-terminal")
            }
            guard let frame = session.burst() else { return print("first frame: nothing was drawn") }
            frames.append(frame.last - session.start)
            bytes = frame.bytes
            for key in ["j", "k", "j", "G", "g"] {
                let pressed = Clock.now
                session.press(key)
                if let repaint = session.burst() { keys.append(repaint.last - pressed) }
            }
            session.press("q")
            session.end()
        }
        frames.sort()
        keys.sort()
        print(
            """
            first full frame, 20 accounts: \(Benchmarks.milliseconds(frames[frames.count / 2])) ms median, \
            \(bytes) bytes written
            """
        )
        if !keys.isEmpty { print("key to repaint: \(Benchmarks.milliseconds(keys[keys.count / 2])) ms median") }
    }

    /// Ten thousand people: the first frame, which does not wait for them, the list, and what each key costs from its
    /// press to the last byte of the repaint.
    static func measureLarge(_ foyer: String, store: String, environment: [String]) {
        var frames: [Double] = []
        var lists: [Double] = []
        var filtering: [Double] = []
        var moving: [Double] = []
        for _ in 0..<3 {
            guard let session = Session(foyer, store: store, environment: environment), let frame = session.burst()
            else {
                return print("10,000 accounts: nothing was drawn")
            }
            frames.append(frame.last - session.start)
            // The list comes later, and the clock in its corner goes on meanwhile.
            var listed = frame.last
            while let more = session.burst(within: 1500), more.bytes > 400 { listed = more.last }
            lists.append(listed - session.start)
            for key in ["j", "k", "\u{6}", "\u{6}", "\u{2}", "G", "g", "G", "k"] { session.time(key, into: &moving) }
            session.press("/")
            _ = session.burst()
            for word in ["person99", "9999 contoso", "bbbb", "zzz"] {
                for letter in word { session.time(String(letter), into: &filtering) }
                for _ in word { session.time("\u{7F}", into: &filtering) }
            }
            session.press("\u{1B}")
            _ = session.burst()
            session.press("q")
            session.end()
        }
        func line(_ what: String, _ times: [Double]) {
            let sorted = times.sorted()
            guard let most = sorted.last else { return }
            print(
                """
                10,000 accounts, 50,000 tokens, \(what): \(Benchmarks.milliseconds(sorted[sorted.count / 2])) ms \
                median, 
                """
                    + "\(Benchmarks.milliseconds(most)) ms at most")
        }
        line("first frame", frames)
        line("list", lists)
        line("key that moves", moving)
        line("key of the filter", filtering)
    }

    private final class Session {
        let start: Double
        private let terminal: Int32
        private let process: pid_t

        init?(_ foyer: String, store: String, environment: [String]) {
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
            posix_spawn_file_actions_addclose(&actions, master)
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            posix_spawnattr_setflags(&attributes, Screen.spawnInNewSession)
            start = Clock.now
            let child = Child.spawn([foyer, "--store", store], environment, &actions, attributes: &attributes)
            posix_spawnattr_destroy(&attributes)
            guard let child else { return nil }
            terminal = master
            process = child
        }

        func press(_ key: String) {
            _ = key.utf8.map { $0 }.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
        }

        /// Presses a key and notes when its repaint was complete.
        func time(_ key: String, into times: inout [Double]) {
            let pressed = Clock.now
            press(key)
            if let repaint = burst() { times.append(repaint.last - pressed) }
        }

        /// Everything written until 40 ms of silence: when the last byte came, and how many there were.
        ///
        /// - Parameter within: milliseconds until the first byte.
        func burst(within wait: Int32 = 2000) -> (last: Double, bytes: Int)? {
            var last: Double?
            var bytes = 0
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                var file = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
                guard poll(&file, 1, last == nil ? wait : 40) > 0 else { break }
                let count = read(terminal, &chunk, chunk.count)
                guard count > 0 else { break }
                last = Clock.now
                bytes += count
            }
            return last.map { ($0, bytes) }
        }

        func end() {
            _ = burst()
            _ = Child.wait(process)
            close(terminal)
        }
    }
}
