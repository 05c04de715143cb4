import FoundationEssentials
import Identity
package import SilentFirst
import TokenCache

/// What `foyer` tells `foyer-main` in ``Product/handOverVariable``: its version, and what it found of the turn to
/// refresh. Words with a space between them: the version; when the call began, in seconds since the epoch; whether
/// another call was waited for; for how many milliseconds; the descriptor and the place of the lock that is held. The
/// word `asked` after the version says that the agent need not be asked again.
package struct HandOverNote: Hashable, Sendable {
    package var version = Product.version
    package var turn: RefreshTurn?
    /// Whether the agent was asked already, or is not to be.
    package var hasAskedAgent: Bool
    private static let asked = "asked"

    package init(turn: RefreshTurn? = nil, hasAskedAgent: Bool = false) {
        (self.turn, self.hasAskedAgent) = (turn, hasAskedAgent)
    }

    /// - Parameter text: what is no turn in it counts as none.
    package init(_ text: String) {
        var words = text.split(separator: " ", omittingEmptySubsequences: false)
        version = String(words.first ?? "")
        hasAskedAgent = words.count > 1 && words[1] == Self.asked
        if hasAskedAgent { words.remove(at: 1) }
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
        let version = hasAskedAgent ? version + " " + Self.asked : version
        guard let turn else { return version }
        // Times of the store are whole seconds, too.
        let since = Int64(turn.since.timeIntervalSince1970.rounded(.down))
        let lock = turn.lock.map { " \($0.descriptor) \($0.offset)" } ?? ""
        return "\(version) \(since) \(turn.waited ? 1 : 0) \(Int64(turn.spent / .milliseconds(1)))\(lock)"
    }
}
