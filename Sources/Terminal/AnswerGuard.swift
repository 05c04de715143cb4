package import Keys

/// Keeps keys that were meant for the screen before from answering a question that has just come up.
///
/// What waits to be read when the question is asked is thrown away; but keys are still on their way then, over a slow
/// line for a while. An answer counts only once the question has been on the screen for as long as a person needs to
/// see it, with no other key in between.
package struct AnswerGuard: Sendable {
    /// Nobody reacts to something they have just seen within a quarter of a second.
    package static let pause = Duration.milliseconds(250)

    private enum State: Sendable {
        case open
        /// The question is not on the screen yet.
        case asked
        case quietSince(ContinuousClock.Instant)
    }

    private var state = State.open

    package init() {}

    /// A question is about to be drawn.
    package mutating func ask() { state = .asked }

    /// What was asked is on the screen now.
    package mutating func drawn(at now: ContinuousClock.Instant) {
        if case .asked = state { state = .quietSince(now) }
    }

    /// Nothing is asked any more.
    package mutating func lift() { state = .open }

    /// Whether a key may do what it does. Keys that answer nothing always may: help, Escape, Ctrl-C.
    package mutating func admits(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .open: return true
        case .quietSince(let since) where now - since >= Self.pause:
            state = .open
            return true
        case .asked, .quietSince: break
        }
        switch key {
        case .control, .escape, .function: return true
        case .character, .enter, .tab, .backTab, .backspace, .delete, .insert, .up, .down, .left, .right, .home, .end,
            .pageUp, .pageDown,
            .alt,
            .paste, .mouse:
            if case .quietSince = state { state = .quietSince(now) }
            return false
        }
    }
}
