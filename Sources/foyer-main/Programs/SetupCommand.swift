import AppModel
import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs
import StrictJSON

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Connect git, docker, kubectl and others, and take it back",
        discussion: """
            Without a name it lists the programs and how far each is connected. With one it shows the exact change, \
            asks, makes it and checks it with the program itself. --undo takes back what it has changed, byte for byte \
            where nobody else has changed the same file since.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(help: "git, docker, kubectl, az, pip or uv", completion: .known(.programs)) var program: String?
    @Argument(
        help: ArgumentHelp(
            "For docker: the registries to serve; without any, those of the rules", valueName: "registry"))
    var registries: [String] = []
    @Option(help: ArgumentHelp("For kubectl: write a user of this name into the kubeconfig", valueName: "name"))
    var user: String?
    @OptionGroup var tenancy: TenantOption
    @Flag(help: "Take back what setup has changed for the program")
    var undo = false
    @Flag(name: .customLong("dry-run"), help: "Only show the change; ends with 1 when there is one")
    var onlyShows = false
    @Flag(help: "Do not ask")
    var yes = false

    func validate() throws {
        if yes, onlyShows { throw ValidationError("--yes and --dry-run exclude each other") }
        if program == nil, undo || onlyShows || yes || user != nil { throw ValidationError("name a program") }
        if undo, !registries.isEmpty || user != nil { throw ValidationError("--undo takes back all of a program") }
        if program != "docker", !registries.isEmpty { throw ValidationError("only docker takes registries") }
        if program != "kubectl", user != nil { throw ValidationError("only kubectl takes --user") }
        if let option = tokenOptions(shared.adding(tenancy)).first?.name { try refuse(option) }
    }

    /// Those that choose a token.
    private func tokenOptions(_ options: TokenOptions) -> [(name: String, value: String)] {
        let bounds = RequestField.all.filter { $0.role == .bound }
        // What may come several times comes last.
        return (bounds.filter { !$0.isRepeatable } + bounds.filter(\.isRepeatable)).flatMap { field in
            field.texts(of: options).map { ("--" + (field.option ?? ""), $0) }
        }
    }

    /// Nothing of it is written down but in a kubeconfig, so that the program would get another token.
    private func refuse(_ option: String) throws {
        guard let program else { throw ValidationError("name a program") }
        if undo { throw ValidationError("--undo takes back all of a program") }
        if program == "kubectl", user == nil {
            throw ValidationError("kubectl takes no \(option) without --user, the user to write it for")
        }
        // What is no program at all is said later.
        if program != "kubectl", SetupProgram(rawValue: program) != nil {
            throw ValidationError("\(program) takes no \(option); write a rule, see \"foyer help programs\"")
        }
    }

    func run() async throws {
        let session = try CommandContext(shared.adding(tenancy).checked())
        let setup = try Setup(session.environment)
        guard let program else {
            try await list(setup, session)
            return
        }
        let work = SetupWork(
            setup: setup, wish: try wish(try setup.program(named: program), session),
            direction: undo ? .takeBack : .setUp)
        try await SetupJob(work, session.output).run(yes: yes, onlyShows)
    }

    private func wish(_ program: SetupProgram, _ session: CommandContext) throws(Failure) -> Setup.Wish {
        // What is named on the command line is what kubectl-foyer is to be called with, wherever kubectl runs.
        let options = tokenOptions(try session.shared.withAbsolutePaths(session.environment))
        let named = session.settings.registriesOfRules
        return Setup.Wish(
            program, registries: program == .docker && registries.isEmpty && !undo ? named : registries, user: user,
            arguments: options.flatMap { [$0.name, $0.value] })
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
        Output.write("Number to set up, with a - to take it back; Enter to leave: ", to: STDERR_FILENO)
        guard let choice = NumberedAnswer(await PlainInput().next() ?? "", count: states.count, mark: "-"),
            let program = SetupProgram(rawValue: states[choice.index].name)
        else { return }
        let work = SetupWork(
            setup: setup, wish: try wish(program, session), direction: choice.isMarked ? .takeBack : .setUp)
        try await SetupJob(work, session.output).run(yes: false, false)
    }
}

extension Setup {
    /// The helpers that this program has, with links to the small program in front.
    init(_ environment: ProcessEnvironment) throws(Failure) {
        self.init(environment, foyer: try AgentUnits.program()) { HelperName.resolved([$0]).first == "helper" }
    }

    func program(named name: String) throws(Failure) -> SetupProgram {
        guard let program = SetupProgram(rawValue: name), programs.contains(program) else {
            throw Failure(
                .usage, "there is no setup for \(name)",
                hint: .text("one of: " + programs.map(\.name).joined(separator: ", ")))
        }
        return program
    }
}
