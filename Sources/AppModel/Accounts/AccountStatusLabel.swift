import Explain
import FoundationEssentials
package import Identity

/// An account's status as a sign and a word.
package struct AccountStatusLabel: Sendable {
    package let sign: Sign
    package let tone: Tone
    /// Such as `59 min`.
    package let word: String
    /// A longer form to be read aloud: `cached token, 59 minutes`.
    let sentence: String
    /// The text tone if all is well.
    package let wordTone: Tone

    package init(_ status: AccountStatus, clock: Clock) {
        switch status {
        case .valid(.distantFuture): (sign, tone, word, wordTone) = (.full, .ok, "cached", .text)
        case .valid(let until) where until.announced == nil:
            // The full words do not fit the list's column.
            (sign, tone, word, wordTone) = (.full, .ok, "cached", .text)
            sentence = "cached token, " + TimeSpan.end(until) { clock.relative($0) }
            return
        case .valid(let until):
            let time = TimeSpan.words(clock.seconds(until: until))
            let isSoon = status.expiresSoon(clock)
            (sign, tone) = isSoon ? (.quarter, .attention) : (.full, .ok)
            (word, wordTone) = isSoon ? (time + " left", .attention) : (time, .text)
            sentence = "cached token, \(Clock.spoken(clock.seconds(until: until)))"
            return
        case .refreshable: (sign, tone, word, wordTone) = (.half, .ok, "renews on use", .text)
        case .signInNeeded: (sign, tone, word, wordTone) = (.empty, .danger, "needs sign-in", .danger)
        case .rejected: (sign, tone, word, wordTone) = (.cross, .danger, "rejected", .danger)
        case .signingOut: (sign, tone, word, wordTone) = (.warning, .attention, "signing out", .attention)
        case .blocked: (sign, tone, word, wordTone) = (.warning, .attention, "blocked", .attention)
        }
        sentence = word == "cached" ? "cached token" : word
    }
}

extension AccountStatus {
    /// Whether it has a token with less than five minutes left.
    func expiresSoon(_ clock: Clock) -> Bool {
        guard case .valid(let until) = self, until != .distantFuture else { return false }
        return clock.seconds(until: until) < 300
    }
}
