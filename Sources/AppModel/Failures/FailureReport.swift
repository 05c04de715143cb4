import Explain
package import FoundationEssentials
package import Identity

/// Details of a failure for support: time, codes, steps. Contains nothing secret: no token, no code, no claims.
package struct FailureReport: Equatable, Sendable {
    package let failure: Failure
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
    /// The provider's own codes, the number first.
    var codeWords: String { codes.joined(separator: " · ") }

    /// Codes that the message does not contain.
    var codeWordsLeft: String { codes.filter { !message.contains($0) }.joined(separator: " · ") }

    /// The meanings of the codes, except those that the message already contains.
    var explanationsLeft: [String] {
        explanations.filter { !message.contains($0.explanation) }.map { "\($0.label): \($0.explanation)" }
    }

    private var codes: [String] { serverCodeNames.prefix(4) + [oauthError, suberror].compactMap { $0 } }
}

extension FailureReport {
    func copyable(in context: Context) -> Copyable { Copyable("report without secrets", text(in: context)) }
}

extension Context {
    /// A hint on copying; none in plain mode, whose text can be copied from the terminal.
    func reportLines(at place: KeyContext) -> [String] {
        naming == .keys ? ["\(name(of: .copyMenu, at: place)): copy a report (no secrets)"] : []
    }
}
