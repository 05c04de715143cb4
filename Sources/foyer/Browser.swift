import Glibc
import Identity
import SilentFirst

/// Opens addresses in a browser: by argument vector, never through a shell, detached from the terminal, with a clean environment
/// (N12, attack list 2.B).
struct Browser: Sendable {
    private let environment: Environment
    private let command: String?

    /// - Parameter command: `--browser`: a command line in which `%s` is the address; `none` opens nothing.
    init(_ environment: Environment, command: String?) {
        self.environment = environment
        self.command = command
    }

    /// A browser where there is a display and a browser, else a device code.
    func automaticMethod() -> (method: SignInMethod, reason: String) {
        if command == "none" { return (.browser, "the address is only printed, as asked") }
        if command != nil { return (.browser, "a browser command was given") }
        if environment.isWSL, !candidates().isEmpty { return (.browser, "Windows has a browser for this WSL session") }
        if environment.isOverSSH, !environment.hasDisplay { return (.device, "this is an SSH session without a display") }
        if environment.isContainer, !environment.hasDisplay { return (.device, "this is a container without a display") }
        if !environment.hasDisplay { return (.device, "there is no display") }
        if candidates().isEmpty { return (.device, "there is a display but no browser was found") }
        return (.browser, "there is a display and a browser")
    }

    func open(_ address: WebAddress) async throws(BrowserProblem) {
        if command == "none" { throw BrowserProblem("only printed, as asked") }
        guard let words = candidates().first else { throw BrowserProblem("no browser was found") }
        let arguments = Self.arguments(words, address)
        guard let path = environment.program(arguments[0]) else { throw BrowserProblem("there is no program \(arguments[0])") }
        try Self.start(path, arguments, environment: childEnvironment(), inTerminal: false)
    }

    /// Opens a private window: a browser that is known to have one, with its own option for it. No cookie of the usual windows is in it, and none stays.
    func openPrivately(_ address: WebAddress) async throws(BrowserProblem) {
        guard let (path, words) = privateWindow() else {
            throw BrowserProblem("no browser with private windows was found; install firefox or chromium, or name one with --browser")
        }
        try Self.start(path, Self.arguments(words, address), environment: childEnvironment(), inTerminal: false)
    }

    /// What opens a private window here, or nil.
    private func privateWindow() -> (path: String, words: [String])? {
        // A command of the person's own is taken at its word: `--browser "firefox --private-window %s"`.
        if let command, command != "none" {
            let words = Self.words(command)
            guard let name = words.first, let path = environment.program(name) else { return nil }
            let option = words.count == 1 ? Self.privateOption(of: name).map { [$0] } ?? [] : []
            return (path, words + option)
        }
        let own = (environment["BROWSER"] ?? "").split(separator: ":").compactMap { Self.words(String($0)).first }
        for name in own + Self.privateBrowsers.map(\.name) {
            if let option = Self.privateOption(of: name), let path = environment.program(name) { return (path, [name, option]) }
        }
        return nil
    }

    private static func privateOption(of program: String) -> String? {
        let name = program.split(separator: "/").last.map(String.init) ?? program
        return privateBrowsers.first { $0.name == name }?.option
    }

    private static let privateBrowsers: [(name: String, option: String)] = [
        ("firefox", "--private-window"), ("firefox-esr", "--private-window"), ("librewolf", "--private-window"),
        ("chromium", "--incognito"), ("chromium-browser", "--incognito"), ("google-chrome", "--incognito"),
        ("google-chrome-stable", "--incognito"), ("brave-browser", "--incognito"), ("vivaldi", "--incognito"),
        ("microsoft-edge", "--inprivate"), ("microsoft-edge-stable", "--inprivate"), ("opera", "--private"),
        ("epiphany", "--incognito-mode"), ("falkon", "--private-browsing"),
    ]

    /// Runs w3m, lynx or another text browser in this terminal until the person leaves it.
    func openInTerminal(_ address: WebAddress) async throws(BrowserProblem) {
        let names = ["w3m", "lynx", "links", "elinks"]
        let words = command.map(Self.words) ?? names.first { environment.program($0) != nil }.map { [$0] }
        guard let words, let name = words.first, let path = environment.program(name) else {
            throw BrowserProblem("no text browser was found; install w3m or lynx")
        }
        try Self.start(path, Self.arguments(words, address), environment: childEnvironment(), inTerminal: true)
    }

    /// The commands to try, best first: the option, `BROWSER`, then what desktops and WSL have.
    private func candidates() -> [[String]] {
        if let command { return [Self.words(command)].filter { !$0.isEmpty } }
        var found: [[String]] = []
        for entry in (environment["BROWSER"] ?? "").split(separator: ":") {
            let words = Self.words(String(entry))
            if let name = words.first, environment.program(name) != nil { found.append(words) }
        }
        let usual =
            environment.isWSL ? ["wslview", "explorer.exe"] : ["xdg-open", "sensible-browser", "firefox", "chromium", "google-chrome"]
        for name in usual where environment.program(name) != nil { found.append([name]) }
        return found
    }

    /// Splits at spaces, as xdg-open does; no quoting and no shell.
    private static func words(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }

    private static func arguments(_ words: [String], _ address: WebAddress) -> [String] {
        // The address begins with http, so it cannot be read as an option (atk-B3).
        guard words.contains(where: { $0.contains("%s") }) else { return words + [address.text] }
        return words.map { $0.replacing("%s", with: address.text) }
    }

    /// Only what a browser needs to find its display, its profile and its words.
    private func childEnvironment() -> [String] {
        let names = [
            "HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
            "XDG_CURRENT_DESKTOP",
            "XDG_SESSION_TYPE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS",
            "DESKTOP_SESSION", "USER",
            "LOGNAME", "TERM", "TMPDIR", "WSL_DISTRO_NAME", "WSL_INTEROP", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy",
            "http_proxy",
            "no_proxy", "SSL_CERT_FILE", "BROWSER",
        ]
        return names.compactMap { name in environment[name].map { "\(name)=\($0)" } }
    }

    /// POSIX_SPAWN_SETSID of glibc, whose module hides it.
    private static let spawnInNewSession: Int16 = 0x80

    /// Every descriptor of ours is opened close-on-exec, so the child inherits none of them.
    private static func start(_ path: String, _ arguments: [String], environment: [String], inTerminal: Bool) throws(BrowserProblem) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var flags = Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
        if !inTerminal {
            for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
            }
            flags |= spawnInNewSession
        }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP] { sigaddset(&defaults, number) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, flags)

        var process = pid_t()
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let status = posix_spawn(&process, path, &actions, &attributes, argv, envp)
        guard status == 0 else { throw BrowserProblem("\(arguments[0]): \(String(cString: strerror(status)))") }
        if inTerminal {
            var ending: Int32 = 0
            while waitpid(process, &ending, 0) < 0, errno == EINTR {}
        } else {
            Self.reap(process)
        }
    }

    /// Waits elsewhere, so that no zombie is left and nobody waits for a browser that stays (atk-B10, atk-L11).
    private static func reap(_ process: pid_t) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        pthread_create(
            &thread, &attributes,
            { argument in
                let process = pid_t(truncatingIfNeeded: Int(bitPattern: argument))
                var ending: Int32 = 0
                while waitpid(process, &ending, 0) < 0, errno == EINTR {}
                return nil
            }, UnsafeMutableRawPointer(bitPattern: Int(process)))
    }
}
