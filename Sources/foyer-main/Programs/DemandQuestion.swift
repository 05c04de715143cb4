import CommandSupport
import Console
import Explain
import Helpers
import Identity
import Programs
import TokenCalls

/// Asks at the controlling terminal whether a program's server gets what it demands. No page is opened before.
struct DemandQuestion {
    enum Answer: Hashable, Sendable {
        case notNow
        /// For this request alone.
        case once
        /// Rules were written; the request is resolved again.
        case always, never
    }

    private let call: ProgramCall
    private static let tries = 3

    init(_ call: ProgramCall) { self.call = call }

    private var place: String { call.request.placeName }

    /// For more scopes.
    ///
    /// - Returns: ``Answer/notNow`` without a terminal or a valid reply.
    func ask(about demand: ScopeDemand) -> Answer {
        guard let terminal = ControllingTerminal() else { return .notNow }
        let always = rule(demand.has.union(demand.wants))
        say("\(place) asks for more", terminal)
        say("  asked by  \(call.request.words)", terminal)
        if let account = call.resolution.account {
            say("  account   \(account.label) by \(call.call.client.name)", terminal)
        }
        tell("has", demand.has.withoutReserved, terminal)
        tell("wants", demand.wants, terminal)
        for name in demand.refused.names {
            say("  refused   \(name): of another resource, which \(place) never gets", terminal)
        }
        say(" 1  Not now", terminal)
        say(" 2  Once", terminal)
        say(" 3  Always, for \(place); writes:", terminal)
        for line in always?.lines ?? [] { say("      " + line, terminal) }
        say(" 4  Never", terminal)
        for _ in 0..<Self.tries {
            guard let line = terminal.line("Number: ") else { return .notNow }
            switch line.filter({ !$0.isWhitespace }) {
            case "1", "": return .notNow
            case "2": return .once
            case "3": return write(always, terminal) ? .always : .notNow
            case "4": return write(rule(demand.has), terminal) ? .never : .notNow
            default: terminal.say("enter a number from 1 to 4")
            }
        }
        return .notNow
    }

    /// For a stronger or more recent sign-in.
    ///
    /// - Parameter demand: after "requires".
    func agrees(to demand: String) -> Bool {
        guard let terminal = ControllingTerminal() else { return false }
        say("\(place) requires \(demand)", terminal)
        say("  asked by  \(call.request.words)", terminal)
        let line = terminal.line("Sign in now? [y/N] ")
        return ["y", "yes"].contains(line?.filter { !$0.isWhitespace }.lowercased() ?? "")
    }

    private func tell(_ word: String, _ scopes: ScopeSet, _ terminal: borrowing ControllingTerminal) {
        let issuer = call.resolution.account.map { ScopeIssuer($0, server: call.call.server) } ?? .other
        for name in scopes.names {
            let meaning = ScopeMeaning.of(name, at: issuer)
            let words = meaning.map { "  \($0.risk.word): \($0.sentence)" } ?? "  risk unknown"
            say("  \(word)\(String(repeating: " ", count: max(1, 10 - word.count)))\(name)\(words)", terminal)
        }
    }

    /// Nil if no rule can name the place.
    private func rule(_ scopes: ScopeSet) -> ProgramRule? {
        try? call.rule(for: call.resolution.account, scopes: scopes.names)
    }

    private func write(_ rule: ProgramRule?, _ terminal: borrowing ControllingTerminal) -> Bool {
        let path = call.call.context.settings.path
        guard let rule else {
            say("no rule can name this place", terminal)
            return false
        }
        do throws(Failure) {
            try SettingsFile(path).add(rule: rule, before: call.resolution.by.rule)
            say("saved in \(path)", terminal)
            return true
        } catch {
            say("foyer: \(error.message)", terminal)
            return false
        }
    }

    private func say(_ line: String, _ terminal: borrowing ControllingTerminal) {
        terminal.say(SafeText.line(line, limit: 500))
    }
}
