import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import Programs
import SilentFirst
import StrictJSON

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Show which account another program gets, and which rule says so",
        discussion: """
            As in: foyer why git https://dev.azure.com/contoso/x, foyer why terraform. Nothing is sent. The rules are \
            [[rules]] of the settings, see "foyer help programs". With --recent: what programs were given lately.
            """)
    @Flag(help: "Show what programs were given lately, the last first; with a program's name only its own")
    var recent = false
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(
        help: "git, docker, kubectl, pip, or the name of a command",
        completion: .list(["git", "docker", "kubectl", "pip"]))
    var program: String?
    @Argument(help: "What it asks for: a URL, a registry, a cluster") var target: String?

    func run() async throws {
        let options = try shared.choices()
        let session = try CommandContext(options)
        guard !recent else {
            guard target == nil else {
                throw Failure(.usage, "--recent takes a program and nothing else", hint: "leave out the target")
            }
            let uses = ProgramUses(session.environment).read().filter { program == nil || $0.request.program == program }
            return RecentUses(uses).show(session, isWide: wide.isOn)
        }
        guard let program else {
            throw Failure(
                .usage, "which program?", hint: "run \"foyer why git URL\", or \"foyer why --recent\"")
        }
        let (wish, environment) = try wish(of: program, session)
        guard let call = try ProgramCall(wish, environment, isAsked: false) else {
            let host = wish.request.host ?? wish.request.registry ?? "it"
            let condition = wish.request.registry == nil ? "host" : "registry"
            throw Failure(
                .notFound, "\(wish.request.words) gets no token: no rule names \(host)",
                hint: .text(
                    "write into \(session.settings.path): [[rules]] \(condition) = \"\(host)\" client = \"NAME\""))
        }
        let explanation = ProgramExplanation(call, now: Date())
        if session.output.json {
            session.output.result(explanation.json)
        } else {
            session.output.lines(explanation.lines)
        }
        if call.failureOfUser != nil, NextProgram.isThere(program) {
            session.output.note("the next \(program) on PATH answers")
        }
        if let failure = explanation.failure { throw failure }
    }

    /// What the program asks for, with the environment that it is called in.
    private func wish(of program: String, _ session: CommandContext) throws(Failure)
        -> (ProgramCall.Wish, ProcessEnvironment)
    {
        if program == ProgramName.kubectl.rawValue {
            let kubectl = KubectlTarget(target, session.shared, session.environment)
            for note in kubectl.notes { session.output.note("foyer: \(note)") }
            if let wish = kubectl.wish { return (wish, kubectl.environment) }
        }
        return (
            try ProgramTarget.wish(program, target, session.shared, session.environment), session.environment
        )
    }
}
