import FoundationEssentials
package import Identity
import SilentFirst
package import TokenCache

extension CommandContext {
    /// The store with a family refresh token of another program's in it, when the settings allow that, this client is
    /// of the family, and the store has nothing of its own for it. The other store is only read; what the provider
    /// gives goes into ours.
    ///
    /// - Parameters:
    ///   - isLooking: whether nothing may be written: then the token goes into the snapshot alone.
    ///   - isWanted: whether it may be this account's.
    /// - Returns: the snapshot to go on with, and what was done, if anything was.
    package func borrowingFamily(
        _ snapshot: CacheSnapshot, _ cache: TokenCache, _ client: ClientChoice, isLooking: Bool = false,
        account isWanted: (Account) -> Bool
    ) throws(Failure) -> (snapshot: CacheSnapshot, step: Step?) {
        guard
            let (record, step) = try familyLoan(
                snapshot, client, from: { () throws(Failure) in try lenders(client) },
                account: isWanted)
        else { return (snapshot, nil) }
        do throws(StoreError) {
            if isLooking { return (try snapshot.with(record), step) }
            try cache.save(record)
            return (try cache.read(), step)
        } catch { throw Failure(error) }
    }

    /// The family refresh token that a store without one for this client would be given, and how that is told; nil
    /// where the settings do not allow it, the store has its own, or nobody has one.
    ///
    /// - Parameter lenders: asked for only when one is wanted.
    package func familyLoan<Trouble: Error>(
        _ snapshot: CacheSnapshot, _ client: ClientChoice, from lenders: () throws(Trouble) -> [StoreProbe],
        account isWanted: (Account) -> Bool
    ) throws(Trouble) -> (record: TokenRecord, step: Step)? {
        guard settings.selects(client, settings.familyOfOtherStores),
            FamilyBorrowing.isWanted(in: snapshot, clientID: client.clientID, account: isWanted),
            let (finding, token) = FamilyBorrowing.choose(
                among: try lenders().map { ($0, $0.snapshot) }, clientID: client.clientID, account: isWanted)
        else { return nil }
        let step = Step(
            .familyRefreshToken, .done,
            """
            \(clientName(token.holder))'s, from the store \(finding.source.name) of \(finding.source.program) \
            (\(finding.source.place))
            """)
        return (token.record(at: Date()), step)
    }

    /// Other programs' stores that a family refresh token may be borrowed from, as they are now.
    ///
    /// - Parameter client: whose own store is none of them.
    package func lenders(_ client: ClientChoice) throws(Failure) -> [StoreProbe] {
        try findings(client).dropFirst().filter(\.isUsable)
    }
}
