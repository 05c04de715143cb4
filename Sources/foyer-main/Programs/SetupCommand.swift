import AppModel
import ArgumentParser
import CommandSupport
import Glibc
import Helpers
import Identity
import Programs
import StrictJSON

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up git, docker, kubectl and others, or undo it",
        discussion: """
            Without a name, lists programs and their state. With one, shows the exact change, asks, applies it and \
            tests it. --undo restores the files, byte for byte if they have not changed since.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(help: "git, docker, kubectl, az, pip or uv", completion: .known(.programs)) var program: String?
    @Argument(
        help: ArgumentHelp(
            "docker: registries to serve (default: those in rules)", valueName: "registry"))
    var registries: [String] = []
    @Option(help: ArgumentHelp("kubectl: add a user with this name to the kubeconfig", valueName: "name"))
    var user: String?
    @OptionGroup var tenancy: TenantOption
    @Flag(help: "Undo the program's setup")
    var undo = false
    @Flag(name: .customLong("dry-run"), help: "Show the change only; exit status 1 if there is one")
    var onlyShows = false
    @Flag(help: "Do not ask for confirmation")
    var yes = false

    func validate() throws {
        if yes, onlyShows { throw ValidationError("--yes and --dry-run cannot be used together") }
        if program == nil, undo || onlyShows || yes || user != nil {
            throw ValidationError("which program? one of: git, docker, kubectl, az, pip, uv")
        }
        if undo, !registries.isEmpty || user != nil { throw ValidationError("--undo accepts only the program") }
        if program != "docker", !registries.isEmpty { throw ValidationError("registries apply to docker only") }
        if program != "kubectl", user != nil { throw ValidationError("--user applies to kubectl only") }
        if let option = tokenOptions(shared.adding(tenancy)).first?.name { try refuse(option) }
    }

    private func tokenOptions(_ options: TokenOptions) -> [(name: String, value: String)] {
        let bounds = RequestField.all.filter { $0.role == .bound }
        // Repeatable options come last.
        return (bounds.filter { !$0.isRepeatable } + bounds.filter(\.isRepeatable)).flatMap { field in
            field.texts(of: options).map { ("--" + (field.option ?? ""), $0) }
        }
    }

    /// Only a kubeconfig stores them; another program would get another token.
    private func refuse(_ option: String) throws {
        guard let program else { throw ValidationError("which program? one of: git, docker, kubectl, az, pip, uv") }
        if undo { throw ValidationError("--undo accepts only the program") }
        if program == "kubectl", user == nil { throw ValidationError("kubectl: \(option) requires --user") }
        // An unknown program is reported later.
        if program != "kubectl", SetupProgram(rawValue: program) != nil {
            throw ValidationError("\(option) does not apply to \(program); use a rule, see \"foyer help programs\"")
        }
    }

    func run() async throws {
        let session = try CommandContext(shared.adding(tenancy).checked())
        let setup = try Setup(session.environment)
        guard let program else { return try await list(setup, session) }
        try await job(setup, try setup.program(named: program), undo ? .undo : .setUp, session)
    }

    private func job(
        _ setup: Setup, _ program: SetupProgram, _ direction: SetupDirection, _ session: CommandContext
    ) async throws {
        let work = SetupWork(setup: setup, wish: try wish(program, session), direction: direction)
        try await SetupJob(work: work, output: session.output).run(yes: yes, onlyShows)
    }

    private func wish(_ program: SetupProgram, _ session: CommandContext) throws(Failure) -> Setup.Wish {
        // The options given become the arguments of kubectl-foyer, wherever kubectl runs.
        let options = tokenOptions(try session.shared.withAbsolutePaths(session.environment))
        var wish = Setup.Wish(program)
        wish.arguments = options.flatMap { [$0.name, $0.value] }
        wish.user = user
        let takesNamed = program == .docker && registries.isEmpty && !undo
        wish.registries = takesNamed ? session.settings.registriesOfRules : registries
        return wish
    }

    private func list(_ setup: Setup, _ session: CommandContext) async throws {
        let states = setup.states()
        if session.output.json {
            return session.output.result(JSONValue(("programs", .array(states.map(\.json)))))
        }
        let width = states.map(\.name.count).max() ?? 0
        let isMenu = Agreement.canAsk(session.output) && isatty(STDOUT_FILENO) == 1
        session.output.lines(
            states.enumerated().map { index, state in
                let name = state.name.padded(to: width + 2)
                let line = state.detail.isEmpty ? state.state.words : state.state.words.padded(to: 14) + state.detail
                return (isMenu ? " \(index + 1)  " : "") + name + line
            })
        guard isMenu else { return }
        let line = await PlainInput().answer(to: "Number to set up, -number to undo, Enter to quit: ")
        guard let choice = NumberedAnswer(line ?? "", count: states.count, mark: "-"),
            let program = SetupProgram(rawValue: states[choice.index].name)
        else { return }
        try await job(setup, program, choice.isMarked ? .undo : .setUp, session)
    }
}

extension Setup {
    /// This program's helpers, with links to `foyer`, the fast path.
    init(_ environment: ProcessEnvironment) throws(Failure) {
        self.init(environment, foyer: try AgentUnits.program()) { HelperName.resolved([$0]).first == "helper" }
    }

    func program(named name: String) throws(Failure) -> SetupProgram {
        guard let program = SetupProgram(rawValue: name), programs.contains(program) else {
            throw Failure(
                .usage, "unknown program \"\(name)\"",
                hint: .text("one of: " + programs.map(\.name).joined(separator: ", ")))
        }
        return program
    }
}
