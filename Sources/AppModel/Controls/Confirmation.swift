/// A question with two answers; the safe one is selected at first.
package struct Confirmation: Hashable, Sendable {
    /// The other answer, in a word or two.
    package let verb: String
    package private(set) var isConfirmFocused = false

    package init(_ verb: String) { self.verb = verb }

    package enum Answer: Sendable { case confirmed, cancelled }

    /// - Returns: the answer that the command gives; nil while the question stays.
    mutating func handle(_ command: Command) -> Answer? {
        switch command {
        case .moveButton: isConfirmFocused.toggle()
        case .yes: return .confirmed
        case .no, .back: return .cancelled
        case .open: return isConfirmFocused ? .confirmed : .cancelled
        default: break
        }
        return nil
    }

    mutating func focus(onConfirm: Bool) { isConfirmFocused = onConfirm }
}
