import CommandSupport
import Glibc
import Identity
import TokenCache

/// Asks for the client to sign in to, if no option and no setting names one.
struct ClientQuestion {
    let session: CommandContext

    /// Number of well-known clients to list: enough for most users, in a short list. Others can be typed.
    private static let mostOffered = 6
    private static let tries = 3

    /// - Throws: `configuration` without a terminal, `cancelled` without a valid reply.
    func client() async throws(Failure) -> ClientChoice {
        if let named = try session.clientIfAny() { return named }
        guard Agreement.canAsk(session.output) else { return try session.client() }
        let names = offered
        session.output.note("Sign in with which client? For your own app registration, type its client ID.")
        for (index, name) in names.enumerated() { session.output.note(" \(index + 1)  \(name)") }
        let input = PlainInput()
        for _ in 0..<Self.tries {
            guard let typed = await input.answer(to: "Number, name or client ID [1]: ") else { break }
            let line = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard let choice = chosen(line, of: names) else {
                let meant = Spelling.suggestion(for: line, among: session.settings.clientNames)
                session.output.note("foyer: unknown client \"\(line)\"; \(meant)\"foyer clients --all\" lists them")
                continue
            }
            session.output.note(
                "To skip this question, set client = \"\(choice.name)\" in \(session.short(session.settings.path))")
            return choice
        }
        throw Failure(.cancelled, "no client was chosen")
    }

    /// The configured clients, then the well-known ones that are not configured.
    private var offered: [String] {
        let settings = session.settings
        return settings.clients.map(\.name) + settings.wellKnownNames.prefix(Self.mostOffered)
    }

    private func chosen(_ line: String, of names: [String]) -> ClientChoice? {
        if line.isEmpty { return try? session.client(named: names[0]) }
        if let number = Int(line) {
            return names.indices.contains(number - 1) ? try? session.client(named: names[number - 1]) : nil
        }
        return try? session.client(named: line)
    }
}
