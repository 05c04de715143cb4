import Explain
package import FoundationEssentials
package import Identity

/// What somebody who helps wants to know of a failure: when, where, which codes, what was tried. Nothing in it opens
/// anything: no token, no code, no claims.
package struct FailureReport: Equatable, Sendable {
    package let failure: Failure
    /// The username, or nothing where none is known.
    package let account: String
    package let clientID: String
    package let at: Date?
    package let steps: [Step]

    func text(in context: Context) -> String {
        var lines = ["what happened: \(failure.message)"]
        if !account.isEmpty { lines.append("account: \(account)") }
        lines.append("client: \(context.clientAndID(clientID))")
        if let at { lines.append("at: \(context.clock.full(at))") }
        lines.append("kind: \(failure.code.rawValue)")
        if !failure.codeWords.isEmpty { lines.append("codes: \(failure.codeWords)") }
        if let said = failure.oauthDescription { lines.append("the provider said: \(said)") }
        if let id = failure.correlationID { lines.append("correlation id: \(id.uuidString.lowercased())") }
        if !steps.isEmpty { lines.append("what was tried:") }
        lines += steps.map { "  \($0.words)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Failure {
    /// The provider's own names for it, the number first.
    var codeWords: String { codes.joined(separator: " · ") }

    /// Those that the message does not say itself.
    var codeWordsLeft: String { codes.filter { !message.contains($0) }.joined(separator: " · ") }

    /// What the numbers mean, but for what the message says itself: that of a number that is known is its explanation.
    var explanationsLeft: [String] {
        explanations.filter { !message.contains($0.explanation) }.map { "\($0.label): \($0.explanation)" }
    }

    private var codes: [String] { serverCodeNames.prefix(4) + [oauthError, suberror].compactMap { $0 } }
}

extension FailureReport {
    func copyable(in context: Context) -> Copyable { Copyable("report without secrets", text(in: context)) }
}

extension Context {
    /// Where there is a clipboard to copy to: text that stays can be copied as it is.
    func reportLines(at place: KeyContext) -> [String] {
        naming == .keys ? ["\(name(of: .copyMenu, at: place)) copies a report: no secrets in it"] : []
    }
}
