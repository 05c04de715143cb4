import CommandSupport
import Console
import Glibc
import Identity
import StrictJSON
import Terminal

/// Asks on standard error and reads replies from standard input, without echo for a secret.
struct TerminalQuestion: Sendable {
    let output: Output
    let input: PlainInput

    /// - Returns: nil at the end of input, or if the sign-in is cancelled.
    func ask(_ question: SignInQuestion) async -> SignInReply? {
        if let problem = question.problem { say("foyer: \(problem)") }
        if output.json {
            output.event(
                "question",
                [
                    ("question", question.words.json), ("secret", .bool(question.isSecret)),
                    ("choices", .array(choices(question).map(\.json))),
                    ("problem", question.problem.json),
                ])
        }
        for (index, choice) in choices(question).enumerated() { say(" \(index + 1)  \(choice)") }
        if question.isSecret { TerminalEcho.off() }
        let line = await input.answer(to: output.json ? "" : SafeText.line(question.words) + ": ")
        if question.isSecret {
            TerminalEcho.on()
            say("")
        }
        guard let line else { return nil }
        guard case .choose(let choices) = question else { return .text(Secret(line)) }
        guard let number = Int(line), (1...choices.count).contains(number) else { return .browser }
        return .choice(number - 1)
    }

    private func choices(_ question: SignInQuestion) -> [String] {
        guard case .choose(let choices) = question else { return [] }
        return choices
    }

    private func say(_ line: String) { if !output.json { output.note(line) } }
}
