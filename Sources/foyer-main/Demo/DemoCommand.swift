import ArgumentParser
import CommandSupport
import Console
import Glibc
import Identity
import StrictJSON
import Synchronization
import SystemPackage
import Terminal
import TokenCache

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Try foyer with sample accounts and a local provider",
        discussion: """
            Opens the interface on a temporary store with several kinds of account. Quitting removes the store and the \
            provider.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var plainness: PlainOption

    func run() async throws {
        guard ProcessGuard.isTerminal else {
            throw Failure(.usage, "the demo needs a terminal", hint: "in scripts, run foyer-sandbox")
        }
        let program = try SandboxProcess.program()
        let output = Output(json: false, verbose: shared.verbose, noColor: true)
        output.note("foyer: starting the sandbox and signing in the sample accounts …")
        // Cleanup comes before passing on the signal.
        try await open(program)?.passOn(noColor: shared.choices().noColor)
    }

    private func open(_ program: String) async throws -> Interface.End? {
        // The interface notices that its terminal is gone; SIGHUP can come later, during cleanup. It is not ignored, as
        // an ignored signal could not be caught until then.
        signal(SIGHUP) { _ in }
        let interruption = Mutex<Int32?>(nil)
        let watch = Interrupt.watch { number in interruption.withLock { $0 = number } }
        defer { watch.cancel() }
        let folder = try TemporaryFolder("demo", ProcessEnvironment())
        defer { folder.remove() }
        let sandbox = try SandboxProcess.start(program)
        defer { sandbox.stop() }
        let demo = try DemoWorld(sandbox, folder: folder.path)
        try await demo.populate()
        watch.cancel()
        if let number = interruption.withLock({ $0 }) { return .signal(number) }
        var options = try shared.adding(plainness).checked()
        options.config = demo.settingsPath
        options.store = demo.storePath
        options.client = nil
        options.clientID = nil
        options.authority = nil
        var session = try CommandContext(options)
        session.homeOfPrograms = folder.path
        await session.askAsPrograms()
        return try await Interface.open(session, isDemo: true)
    }
}

/// The sandbox as a child process. It ends when this process does, as its standard input is a pipe from here.
struct SandboxProcess {
    let description: JSONObject
    private let process: pid_t
    private let input: Int32

    static func start(_ path: String) throws(Failure) -> SandboxProcess {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw Failure(.unavailable, "cannot create a pipe")
        }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(fromChild[0]) }
        let process: pid_t
        do throws(Errno) {
            defer {
                close(toChild[0])
                close(fromChild[1])
            }
            process = try ChildProcess.start(
                path, [path, "--json", "--exit-with-stdin", "--device-interval", "1"],
                // A process group of its own: Ctrl-C and Ctrl-Z are for the interface.
                attributes: { posix_spawnattr_setflags(&$0, Int16(POSIX_SPAWN_SETPGROUP)) },
                files: { actions in
                    posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
                    posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
                    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
                })
        } catch { throw Failure(.unavailable, "the sandbox did not start: \(error)") }
        let line = firstLine(of: fromChild[0])
        guard let object = try? JSONValue(parsing: line).object else {
            close(toChild[1])
            throw Failure(
                .unavailable, "the sandbox printed no address", hint: "run foyer-sandbox by hand to see why")
        }
        return SandboxProcess(description: object, process: process, input: toChild[1])
    }

    func stop() {
        close(input)
        kill(process, SIGTERM)
        var ending: Int32 = 0
        _ = uninterrupted { waitpid(process, &ending, 0) }
    }

    /// Next to this program, else on PATH.
    static func program() throws(Failure) -> String {
        if let own = ProgramFile.path {
            let beside = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/foyer-sandbox"
            if access(beside, X_OK) == 0 { return beside }
        }
        if let found = ProcessEnvironment().program("foyer-sandbox") { return found }
        throw Failure(
            .notFound, "the demo needs foyer-sandbox, which is not next to foyer or on PATH",
            hint: "install the package foyer-demo, or build it: swift build --product foyer-sandbox")
    }

    private static func firstLine(of file: Int32) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 65_536 {
            guard uninterrupted({ read(file, &byte, 1) }) == 1, byte != 0x0A else { break }
            line.append(byte)
        }
        return line
    }
}
