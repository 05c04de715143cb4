/// A question with two answers; the safe one is selected at first.
package struct Confirmation: Hashable, Sendable {
    /// The other answer, in a word or two.
    package let verb: String
    package private(set) var isConfirmFocused = false

    package init(_ verb: String) { self.verb = verb }

    enum Answer: Equatable { case confirmed, cancelled, other(Command) }

    /// - Returns: the answer that the event gives, or a command for the feature that asks; nil for other events.
    mutating func answer(to event: Event) -> Answer? {
        switch event {
        case .select(let button): isConfirmFocused = button == 1
        case .command(.moveButton, _): isConfirmFocused.toggle()
        case .command(.yes, _): return .confirmed
        case .command(.no, _), .command(.back, _): return .cancelled
        case .command(.open, _): return isConfirmFocused ? .confirmed : .cancelled
        case .command(let command, _): return .other(command)
        default: break
        }
        return nil
    }

    mutating func focus(onConfirm: Bool) { isConfirmFocused = onConfirm }
}
