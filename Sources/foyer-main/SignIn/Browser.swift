import CommandSupport
import Glibc
import Identity
import SilentFirst
import SystemPackage
import TokenCache
import Wire

/// Opens URLs in a browser: by argument vector, never through a shell, detached from the terminal, with a clean
/// environment. Arguments are readable by every user of the machine, so a URL with a query is replaced by a one-time
/// URL on loopback (``OneTimeAddress``).
struct Browser: Sendable {
    let environment: ProcessEnvironment
    /// `--browser`: a command line in which `%s` is the URL; `none` opens nothing.
    let command: String?

    /// A browser if one can show a page to this user, else a device code. The only place that decides this.
    func automaticMethod() -> (method: SignInMethod, reason: String) {
        if command == "none" { return (.browser, "only printing the URL (--browser none)") }
        if command != nil { return (.browser, "a browser command was given") }
        if let name = ownBrowser()?.first { return (.browser, "BROWSER names \(Self.baseName(name))") }
        if environment.isWSL, !candidates().isEmpty { return (.browser, "Windows has a browser for this WSL session") }
        guard environment.hasDisplay else {
            if environment.isOverSSH { return (.device, "this is an SSH session without a display") }
            return (.device, environment.isContainer ? "this is a container without a display" : "there is no display")
        }
        if candidates().isEmpty { return (.device, "there is a display but no browser was found") }
        return (.browser, "there is a display and a browser")
    }

    /// Returns once the browser has started.
    func open(_ address: WebAddress) async throws(BrowserProblem) { _ = try await start(address) }

    /// Returns once the browser has opened the page, for a program that exits right after.
    func openAndWait(_ address: WebAddress, onWaiting: @Sendable () -> Void) async throws(BrowserProblem) {
        guard let page = try await start(address) else { return }
        defer { page.close() }
        onWaiting()
        if await page.isUsed(within: Self.waitForBrowser) { return }
        guard !Task.isCancelled else { throw BrowserProblem("cancelled") }
        throw BrowserProblem("the browser did not open the page within \(Self.waitForBrowser.components.seconds) s")
    }

    /// A browser may have to start, and may ask for a profile.
    private static let waitForBrowser = Duration.seconds(60)

    private func start(_ address: WebAddress) async throws(BrowserProblem) -> OneTimeAddress? {
        if command == "none" { throw BrowserProblem("only printing the URL (--browser none)") }
        let (method, reason) = automaticMethod()
        guard method == .browser else { throw BrowserProblem(reason) }
        guard let words = candidates().first else { throw BrowserProblem("no browser was found") }
        return try await start(words, address, inTerminal: false)
    }

    /// Starts a command with the URL, or with a one-time URL that redirects to it if it has a query.
    private func start(_ words: [String], _ address: WebAddress, inTerminal: Bool) async throws(BrowserProblem)
        -> OneTimeAddress?
    {
        guard let name = words.first, let path = environment.program(name) else {
            throw BrowserProblem("program not found: \(words.first ?? "")")
        }
        let page = address.query == nil ? nil : try await Self.oneTimeAddress(for: address)
        let arguments = Self.arguments(words, page?.address ?? address)
        do throws(BrowserProblem) {
            // Blocks while a text browser runs.
            try await BlockingExecutor.run { [self] () throws(BrowserProblem) in
                try Self.start(path, arguments, environment: childEnvironment(), inTerminal: inTerminal)
            }
        } catch {
            page?.close()
            throw error
        }
        return page
    }

    private static func oneTimeAddress(for address: WebAddress) async throws(BrowserProblem) -> OneTimeAddress {
        do throws(WireError) {
            return try await OneTimeAddress.start(for: address, lifetime: lifetime) {
                LoopbackPeer.isOwn(from: $0, to: $1)
            }
        } catch { throw BrowserProblem(error.message) }
    }

    /// As long as a sign-in may take (`--timeout`).
    private static let lifetime = Duration.seconds(600)

    /// Opens a private window of a known browser, which shares no cookies with normal windows and keeps none.
    func openPrivately(_ address: WebAddress) async throws(BrowserProblem) {
        guard let words = privateWindow() else {
            throw BrowserProblem(
                "no browser with private windows found; install firefox or chromium, or set one with --browser")
        }
        _ = try await start(words, address, inTerminal: false)
    }

    private func privateWindow() -> [String]? {
        // The user's own command may include the option: `--browser "firefox --private-window %s"`.
        if let command, command != "none" {
            let words = Self.words(command)
            guard let name = words.first, environment.program(name) != nil else { return nil }
            let option = words.count == 1 ? Self.privateOption(of: name).map { [$0] } ?? [] : []
            return words + option
        }
        let own = (environment["BROWSER"] ?? "").split(separator: ":").compactMap { Self.words(String($0)).first }
        for name in own + Self.privateBrowsers.map(\.name) {
            if let option = Self.privateOption(of: name), environment.program(name) != nil { return [name, option] }
        }
        return nil
    }

    private static func privateOption(of program: String) -> String? {
        privateBrowsers.first { $0.name == baseName(program) }?.option
    }

    private static func baseName(_ program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? program
    }

    private static let privateBrowsers: [(name: String, option: String)] = [
        ("firefox", "--private-window"), ("firefox-esr", "--private-window"), ("librewolf", "--private-window"),
        ("chromium", "--incognito"), ("chromium-browser", "--incognito"), ("google-chrome", "--incognito"),
        ("google-chrome-stable", "--incognito"), ("brave-browser", "--incognito"), ("vivaldi", "--incognito"),
        ("microsoft-edge", "--inprivate"), ("microsoft-edge-stable", "--inprivate"), ("opera", "--private"),
        ("epiphany", "--incognito-mode"), ("falkon", "--private-browsing"),
    ]

    /// Runs w3m, lynx or another text browser in this terminal until the user leaves it.
    func openInTerminal(_ address: WebAddress) async throws(BrowserProblem) {
        let words = command.map(Self.words) ?? Self.textBrowsers.first { environment.program($0) != nil }.map { [$0] }
        guard let words, let name = words.first, environment.program(name) != nil else {
            throw BrowserProblem("no text browser found; install w3m or lynx")
        }
        // The browser has exited, so no more requests follow.
        try await start(words, address, inTerminal: true)?.close()
    }

    private static let textBrowsers = ["w3m", "lynx", "links", "elinks"]

    /// Useless without a display, also if the user names them.
    private static let needDisplay =
        privateBrowsers.map(\.name) + [
            "xdg-open", "sensible-browser", "x-www-browser", "gnome-www-browser", "konqueror",
        ]

    /// The command in `BROWSER`, if it exists and can show a page without a local display: remote editors and cloud
    /// workspaces set a program that opens the page on the user's machine.
    private func ownBrowser() -> [String]? {
        named().first { words in
            let name = Self.baseName(words[0])
            return !Self.textBrowsers.contains(name) && (environment.hasDisplay || !Self.needDisplay.contains(name))
        }
    }

    /// Existing commands in `BROWSER`.
    private func named() -> [[String]] {
        (environment["BROWSER"] ?? "").split(separator: ":").map { Self.words(String($0)) }
            .filter { words in words.first.map { environment.program($0) != nil } ?? false }
    }

    /// The commands to try, best first: the option, `BROWSER`, then those of desktops and WSL.
    private func candidates() -> [[String]] {
        if let command { return [Self.words(command)].filter { !$0.isEmpty } }
        var found = ownBrowser().map { [$0] } ?? []
        let usual =
            environment.isWSL
            ? ["wslview", "explorer.exe"] : ["xdg-open", "sensible-browser", "firefox", "chromium", "google-chrome"]
        for name in usual where environment.program(name) != nil { found.append([name]) }
        return found
    }

    /// Splits at spaces, as xdg-open does; no quoting and no shell.
    private static func words(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }

    private static func arguments(_ words: [String], _ address: WebAddress) -> [String] {
        // The URL begins with http, so it cannot be read as an option.
        guard words.contains(where: { $0.contains("%s") }) else { return words + [address.text] }
        return words.map { $0.replacing("%s", with: address.text) }
    }

    /// The variables by which a browser finds its display, profile and language.
    private func childEnvironment() -> [String] {
        let names = [
            "HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
            "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
            "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "USER", "LOGNAME", "TERM", "TMPDIR",
            "WSL_DISTRO_NAME", "WSL_INTEROP", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy",
            "no_proxy", "SSL_CERT_FILE", "BROWSER",
            // The browser command of a remote editor finds its window by these.
            "VSCODE_IPC_HOOK_CLI", "VSCODE_CLIENT_COMMAND", "VSCODE_CLIENT_COMMAND_CWD", "VSCODE_CLI_AUTHORITY",
            "REMOTE_CONTAINERS_IPC", "CODESPACES", "SSH_CONNECTION",
        ]
        return names.compactMap { name in environment[name].map { "\(name)=\($0)" } }
    }

    private static func start(_ path: String, _ arguments: [String], environment: [String], inTerminal: Bool)
        throws(BrowserProblem)
    {
        let process: pid_t
        do throws(Errno) {
            process = try ChildProcess.start(
                path, arguments, inherited: [], variables: environment,
                attributes: { ChildProcess.resetSignals(&$0, flags: inTerminal ? 0 : ChildProcess.inNewSession) },
                files: { actions in
                    guard !inTerminal else { return }
                    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                        posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
                    }
                })
        } catch { throw BrowserProblem("\(arguments[0]): \(error)") }
        if inTerminal { return reap(process) }
        // xdg-open and similar programs exist without a browser; they then fail immediately.
        if let ending = ending(of: process, within: .milliseconds(500)) {
            if ending == 0 { return }
            // wait(2): the signal is in the low seven bits, else the status is above the low byte.
            let words = ending & 0x7F == 0 ? "status \(ending >> 8 & 0xFF)" : "signal \(ending & 0x7F)"
            throw BrowserProblem("\(baseName(arguments[0])) failed (\(words))")
        }
        // Reaps a browser that keeps running, so it leaves no zombie.
        if !BlockingThread.start({ reap(process) }) { reap(process) }
    }

    /// A process's `waitpid` status; nil while it runs.
    private static func ending(of process: pid_t, within patience: Duration) -> Int32? {
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        var ending: Int32 = 0
        repeat {
            let found = uninterrupted { waitpid(process, &ending, WNOHANG) }
            if found == process { return ending }
            if found < 0 { return nil }
            usleep(10_000)
        } while clock.now < deadline
        return nil
    }

    private static func reap(_ process: pid_t) {
        var ending: Int32 = 0
        _ = uninterrupted { waitpid(process, &ending, 0) }
    }
}
