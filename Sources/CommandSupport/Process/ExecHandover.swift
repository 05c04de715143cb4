import FoundationEssentials
import Identity
package import SilentCore
import TokenCache

/// The state that `foyer` passes to `foyer-main` in ``Product/handOverVariable``, as words separated by spaces: the
/// version; `asked` if the agent must not be contacted again; then for a refresh turn its start in seconds since the
/// epoch, whether it waited for another call (1 or 0), that wait in milliseconds, and the descriptor and offset of the
/// held refresh lock, if any.
package struct ExecHandover: Hashable, Sendable {
    package var version = Product.version
    package var turn: RefreshLockState?
    /// Whether the agent was already contacted, or must not be.
    package var hasAskedAgent: Bool
    private static let asked = "asked"

    package init(turn: RefreshLockState? = nil, hasAskedAgent: Bool = false) {
        (self.turn, self.hasAskedAgent) = (turn, hasAskedAgent)
    }

    /// - Parameter text: an invalid turn in it is ignored.
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
        turn = RefreshLockState(
            since: Date(timeIntervalSince1970: TimeInterval(since)), waited: waited == 1,
            spent: .milliseconds(spent), lock: lock)
    }

    package var text: String {
        let version = hasAskedAgent ? version + " " + Self.asked : version
        guard let turn else { return version }
        // Times in the store are also whole seconds.
        let since = Int64(turn.since.timeIntervalSince1970.rounded(.down))
        let lock = turn.lock.map { " \($0.descriptor) \($0.offset)" } ?? ""
        return "\(version) \(since) \(turn.waited ? 1 : 0) \(Int64(turn.spent / .milliseconds(1)))\(lock)"
    }
}
