import ArgumentParser
import CommandSupport
import FoundationEssentials
import Helpers
import Identity
import Programs

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Show which account a program gets, and why",
        discussion: """
            For example: foyer why git https://dev.azure.com/contoso/x, foyer why terraform. Nothing is sent. The \
            rules are [[rules]] in the settings, see "foyer help programs". With --recent: recent token requests.
            """)
    @Flag(help: "List recent token requests, newest first; with a program, only its own")
    var recent = false
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(
        help: "git, docker, kubectl, pip, or the name of a command",
        completion: .list(["git", "docker", "kubectl", "pip"]))
    var program: String?
    @Argument(help: "Target: a URL, registry or cluster") var target: String?

    func run() async throws {
        let options = try shared.choices()
        let environment = ProcessEnvironment()
        let session = try CommandContext(options, environment: environment)
        guard !recent else {
            guard target == nil else {
                throw Failure(.usage, "--recent accepts only a program", hint: "leave out the target")
            }
            let uses = ProgramUses(environment).read().filter { program == nil || $0.request.program == program }
            return session.show(uses, isWide: wide.isOn)
        }
        guard let program else {
            throw Failure(.usage, "which program?", hint: "run \"foyer why git URL\", or \"foyer why --recent\"")
        }
        let (query, context) = try asked(of: program, session)
        guard let call = try ProgramCall(query, context, isAsked: false) else {
            let request = query.request ?? ProgramRequest(program: program)
            let condition = query.place.mustBeNamed ?? .host
            var failure = Refusal.placeNotNamed(request, condition).failure
            if let value = try? ConditionValue(literal: request[condition] ?? "", of: condition) {
                failure.hint = .write(
                    lines: ProgramRule([condition: value], client: "NAME").lines,
                    into: "\(session.settings.path), with the name of a client")
            }
            if program == ProgramName.git.rawValue, let host = request.host,
                let server = (try? WebAddress("https://\(host)")).flatMap(KnownServer.at), server.git != nil
            {
                failure.hint = .text("run \"foyer sign-in \(host)\"")
            }
            noteGit(nil, session)
            throw failure
        }
        let explanation = ProgramExplanation(call, now: Date())
        session.output.result(explanation.json, or: explanation.lines)
        noteGit(call.resolution.by, session)
        if case .refuse(.otherUser) = call.resolution.outcome, NextProgram.isThere(program) {
            session.output.note("handled by the next \(program) on PATH")
        }
        if let failure = explanation.failure { throw failure }
    }

    /// Notes on git's own settings, which decide whether it asks foyer.
    private func noteGit(_ by: ResolvedClient?, _ session: CommandContext) {
        guard program == ProgramName.git.rawValue, let target, let git = GitRemotes(session.environment) else { return }
        // A rule for another path of this host may be the intended one.
        let needsPath = by?.rule?.conditions[.path] != nil || by?.passedOver.contains { $0.condition == .path } == true
        for note in git.notes(on: target, needsPath: needsPath) { session.output.note("foyer: \(note)") }
    }

    /// The program's request as it would make it: kubectl's plugin with the arguments in the kubeconfig.
    private func asked(of program: String, _ session: CommandContext) throws(Failure) -> (TokenQuery, CommandContext) {
        if program == ProgramName.kubectl.rawValue {
            let kubectl = KubectlTarget(target, session.shared, session.environment)
            for note in kubectl.notes { session.output.note("foyer: \(note)") }
            if let query = kubectl.query {
                return (query, try CommandContext(query.options, environment: kubectl.environment))
            }
        }
        return (try ProgramTarget.query(program, target, session.shared, session.environment), session)
    }
}
