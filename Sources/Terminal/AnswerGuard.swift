/// The effect of a key at the question on the screen.
package enum KeyEffect: Sendable {
    /// It answers the question, or moves among its answers.
    case answers
    /// It edits the text of an answer, which another key then sends.
    case types
    /// It answers nothing, such as Ctrl-C and help.
    case other
}

/// Prevents keys for the previous screen from answering a new question.
///
/// An answer counts only after the question was on the screen long enough to be seen, and after a moment then without
/// pending input: the keys that were typed before are dropped, however late they are read.
package struct AnswerGuard<Question: Hashable & Sendable>: Sendable {
    /// Reacting to something new takes a person longer.
    package static var pause: Duration { .milliseconds(500) }

    private enum State: Sendable {
        case open
        case asked
        case quietSince(ContinuousClock.Instant)
    }

    private var state = State.open
    private var question: Question?

    package init() {}

    /// The question on the next frame, nil for none. Another one than before begins the wait.
    package mutating func follow(_ question: Question?) {
        guard question != self.question else { return }
        self.question = question
        state = question == nil ? .open : .asked
    }

    /// A frame with the question was written.
    package mutating func drawn(at now: ContinuousClock.Instant) {
        if case .asked = state { state = .quietSince(now) }
    }

    /// When to call ``settle(at:isInputPending:)`` next; nil if nothing is awaited.
    package var settlesAt: ContinuousClock.Instant? {
        if case .quietSince(let since) = state { since.advanced(by: Self.pause) } else { nil }
    }

    /// Lets keys answer once the question was visible long enough.
    ///
    /// - Parameter isInputPending: whether there is input that was not read yet: it may have been typed too early.
    package mutating func settle(at now: ContinuousClock.Instant, isInputPending: Bool) {
        guard let end = settlesAt, now >= end else { return }
        state = isInputPending ? .quietSince(now) : .open
    }

    /// Whether a key takes effect.
    package mutating func admits(_ effect: KeyEffect, at now: ContinuousClock.Instant) -> Bool {
        switch (state, effect) {
        case (.open, _), (_, .other), (.quietSince, .types): return true
        case (.asked, _): return false
        case (.quietSince, .answers):
            // A user who is still typing has not looked up yet.
            state = .quietSince(now)
            return false
        }
    }
}
