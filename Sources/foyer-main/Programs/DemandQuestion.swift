import CommandSupport
import Console
import Explain
import FoundationEssentials
import Glibc
import Helpers
import Identity
import Programs
import StrictJSON
import TokenCalls

/// Asks whether a program's server gets what it demands, or an AI agent's session a person's token: at the controlling
/// terminal, else through the agent, which shows it in an open interface. No page is opened before.
struct DemandQuestion {
    enum Answer: Hashable, Sendable {
        case notNow
        /// For this request alone, or for this session.
        case once
        /// Rules were written; the request is resolved again.
        case always, never
    }

    private let call: TokenCall
    private let asker: String
    private let place: String
    /// With these scopes and this word for AI agents' sessions; nil if no rule can name the place.
    private let rule: (_ scopes: [String]?, _ agents: Bool?) -> ProgramRule?
    private static let tries = 3

    init(_ call: ProgramCall) {
        self.call = call.call
        (asker, place) = (call.request.words, call.request.placeName)
        rule = { scopes, agents in
            let account = agents == nil ? call.resolution.account : call.call.meantAccount
            return try? call.rule(for: account, scopes: scopes, agents: agents)
        }
    }

    /// For foyer's own commands, and only about a session.
    init(_ call: TokenCall) {
        self.call = call
        (asker, place) = (ProgramName.token.rawValue, call.client.name)
        rule = { _, agents in agents.flatMap { call.sessionRule(allows: $0) } }
    }

    // MARK: More scopes

    /// - Returns: ``Answer/notNow`` without a place to prompt, or a valid reply.
    func ask(about demand: ScopeDemand) -> Answer {
        let always = rule(demand.has.union(demand.wants).names, nil)
        let never = rule(demand.has.names, nil)
        guard isatty(STDERR_FILENO) == 1, let terminal = ControllingTerminal() else {
            let has = demand.has.withoutReserved.names.joined(by: " ")
            return askAgent(
                "\(asker), whose server wants more than \(has)", demand.wants, always: always, never: never) ?? .notNow
        }
        say("\(place) asks for more", terminal)
        tellWho(terminal)
        tell("has", demand.has.withoutReserved, terminal)
        tell("wants", demand.wants, terminal)
        for name in demand.refused.names {
            say("  refused   \(name): of another resource, which \(place) never gets", terminal)
        }
        return choose(once: "Once", always: always, never: never, terminal) ?? .notNow
    }

    /// For a stronger or more recent sign-in.
    ///
    /// - Parameter demand: after "requires".
    func agrees(to demand: String) -> Bool {
        guard let terminal = ControllingTerminal() else { return false }
        say("\(place) requires \(demand)", terminal)
        say("  asked by  \(asker)", terminal)
        let line = terminal.line("Sign in now? [y/N] ")
        return ["y", "yes"].contains(line?.filter { !$0.isWhitespace }.lowercased() ?? "")
    }

    // MARK: A session

    /// The answer is kept for the session, or as a rule.
    ///
    /// - Returns: nil without a place to prompt, or after a timeout.
    func ask(about session: AgentSession) -> Answer? {
        let (always, never) = (rule(nil, true), rule(nil, false))
        guard isatty(STDERR_FILENO) == 1, let terminal = ControllingTerminal() else {
            // With its ID, as the agent gives equal questions one answer.
            let words = "\(asker) in \(session.words), \(session.id)"
            return kept(askAgent(words, call.request.scopes, always: always, never: never))
        }
        say("\(session.words) asks for your token", terminal)
        tellWho(terminal)
        tell("scope", call.request.scopes, terminal)
        return kept(choose(once: "Once, for this session", always: always, never: never, terminal))
    }

    /// An agent of this build; nil without one.
    static func agent(_ environment: ProcessEnvironment) -> AgentConnection? {
        guard let agent = try? AgentConnection(AgentPlace(environment)), agent.serverVersion == Product.version
        else { return nil }
        return agent
    }

    /// - Returns: nil without an agent or an interface, or after a timeout.
    private func askAgent(_ asker: String, _ scopes: ScopeSet, always: ProgramRule?, never: ProgramRule?) -> Answer? {
        let environment = call.context.environment
        let question = SessionQuestion(
            asker: SafeText.line(asker, limit: 500), client: call.client.name,
            account: call.meantAccount?.label ?? "", scopes: SafeText.line("\(scopes)", limit: 2000),
            display: environment["DISPLAY"] ?? "")
        let answer = Self.agent(environment)?.ask(.permit(question))?["answer"]?.string
        switch answer.flatMap(AgentPermission.init(rawValue:)) {
        case .once, .session: return .once
        case .always: return write(always) == nil ? .always : nil
        case .never: return write(never) == nil ? .never : nil
        case .refuse: return .notNow
        case nil: return nil
        }
    }

    private func kept(_ answer: Answer?) -> Answer? {
        switch answer {
        case .once: return (try? call.noteSessionAnswer(true, at: Date())) == nil ? nil : .once
        case .notNow: try? call.noteSessionAnswer(false, at: Date())
        case .always, .never, nil: break
        }
        return answer
    }

    // MARK: The menu

    private func tellWho(_ terminal: borrowing ControllingTerminal) {
        say("  asked by  \(asker)", terminal)
        let account = call.resolution.account ?? call.request.account ?? call.meantAccount
        let provider = call.resolution.authority.provider
        say("  account   \(account?.label ?? "any") by \(call.client.name) at \(provider)", terminal)
    }

    /// - Returns: nil without a valid reply, or if the rule could not be written.
    private func choose(
        once: String, always: ProgramRule?, never: ProgramRule?, _ terminal: borrowing ControllingTerminal
    ) -> Answer? {
        say(" 1  Not now", terminal)
        say(" 2  \(once)", terminal)
        if let always {
            say(" 3  Always, for \(place); writes:", terminal)
            for line in always.lines { say("      " + line, terminal) }
            say(" 4  Never", terminal)
        }
        for _ in 0..<Self.tries {
            guard let line = terminal.line("Number: ") else { return nil }
            switch line.filter({ !$0.isWhitespace }) {
            case "1", "": return .notNow
            case "2": return .once
            case "3" where always != nil: return write(always, terminal) ? .always : nil
            case "4" where always != nil: return write(never, terminal) ? .never : nil
            default: terminal.say("enter a number from 1 to \(always == nil ? 2 : 4)")
            }
        }
        return nil
    }

    private func tell(_ word: String, _ scopes: ScopeSet, _ terminal: borrowing ControllingTerminal) {
        let issuer = call.resolution.account.map { ScopeIssuer($0, server: call.server) } ?? .other
        for name in scopes.names {
            let meaning = ScopeMeaning.of(name, at: issuer)
            let words = meaning.map { "  \($0.risk.word): \($0.sentence)" } ?? "  risk unknown"
            say("  \(word)\(String(repeating: " ", count: max(1, 10 - word.count)))\(name)\(words)", terminal)
        }
    }

    private func write(_ rule: ProgramRule?, _ terminal: borrowing ControllingTerminal) -> Bool {
        if let trouble = write(rule) {
            say(trouble, terminal)
            return false
        }
        say("saved in \(call.context.settings.path)", terminal)
        return true
    }

    /// - Returns: why nothing was written; nil if the rule was.
    private func write(_ rule: ProgramRule?) -> String? {
        guard let rule else { return "no rule can name this place" }
        // For a command, a folder's rule does not match sooner.
        let next = call.resolution.by.query.request == nil ? nil : call.resolution.by.rule
        do throws(Failure) {
            try SettingsFile(call.context.settings.path).add(rule: rule, before: next)
            return nil
        } catch { return "foyer: \(error.message)" }
    }

    private func say(_ line: String, _ terminal: borrowing ControllingTerminal) {
        terminal.say(SafeText.line(line, limit: 500))
    }
}
