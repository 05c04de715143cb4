package import FoundationEssentials
package import Identity
package import Proofs
package import TokenCache

package struct SilentSituation: Sendable {
    /// The refresh lock is held: no other call, in any process, refreshes this account now.
    package struct Turn: Sendable {
        package var since: Date
        package var waited: Bool

        package init(since: Date, waited: Bool) { (self.since, self.waited) = (since, waited) }
    }

    package let request: TokenRequest
    package let snapshot: CacheSnapshot
    package let configuration: ClientConfiguration
    package let now: Date
    /// Nil before the lock is acquired.
    package var turn: Turn?
    package let binding: @Sendable (CredentialQuery, Account, Authority) throws(ResolutionError) -> TokenBinding
    /// Returns the throttling state; only called if a refresh would be sent.
    package let throttled: @Sendable () -> [ThrottleEntry]
}
