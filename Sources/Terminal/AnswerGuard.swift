package import Keys

/// Prevents keys for the previous screen from answering a new question.
///
/// Pending input is discarded when the question appears, but more keys may be in transit, especially over a slow line.
/// An answer counts only after the question has been on the screen long enough to be seen, without any other key since.
package struct AnswerGuard: Sendable {
    /// No one reacts to something new within a quarter of a second.
    package static let pause = Duration.milliseconds(250)

    private enum State: Sendable {
        case open
        case asked
        case quietSince(ContinuousClock.Instant)
    }

    private var state = State.open

    package init() {}

    package mutating func ask() { state = .asked }

    package mutating func drawn(at now: ContinuousClock.Instant) {
        if case .asked = state { state = .quietSince(now) }
    }

    package mutating func lift() { state = .open }

    /// Whether a key takes effect. Keys that answer nothing always do: help, Escape, Ctrl-C.
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
