import FoundationEssentials
import Identity
package import SilentFirst
import TokenCache

/// What `foyer` tells `foyer-main` in ``Product/handOverVariable``: its version, and what it found of the turn to
/// refresh. Words with a space between them: the version; when the call began, in seconds since the epoch; whether
/// another call was waited for; for how many milliseconds; the descriptor and the place of the lock that is held.
package struct HandOverNote: Hashable, Sendable {
    package var version = Product.version
    package var turn: RefreshTurn?

    package init(turn: RefreshTurn? = nil) { self.turn = turn }

    /// - Parameter text: what is no turn in it counts as none.
    package init(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        version = String(words.first ?? "")
        guard words.count == 4 || words.count == 6, let since = Int64(words[1]), let waited = Int(words[2]),
            let spent = Int64(words[3]), since >= 0, waited == 0 || waited == 1, spent >= 0
        else { return }
        var lock: RefreshLock.Handle?
        if words.count == 6 {
            guard let descriptor = Int32(words[4]), descriptor > 2, let offset = Int64(words[5]) else { return }
            lock = RefreshLock.Handle(descriptor: descriptor, offset: offset)
        }
        turn = RefreshTurn(
            since: Date(timeIntervalSince1970: TimeInterval(since)), waited: waited == 1,
            spent: .milliseconds(spent), lock: lock)
    }

    package var text: String {
        guard let turn else { return version }
        // Times of the store are whole seconds, too.
        let since = Int64(turn.since.timeIntervalSince1970.rounded(.down))
        let lock = turn.lock.map { " \($0.descriptor) \($0.offset)" } ?? ""
        return "\(version) \(since) \(turn.waited ? 1 : 0) \(Int64(turn.spent / .milliseconds(1)))\(lock)"
    }
}
