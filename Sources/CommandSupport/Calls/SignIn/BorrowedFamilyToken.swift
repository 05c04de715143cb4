import FoundationEssentials
package import Identity
package import TokenCache

extension CommandContext {
    /// Adds a family refresh token from another program's store, if the settings allow it, this client is in the
    /// family and the store has none of its own. The other store is only read; new tokens are saved in ours.
    ///
    /// - Parameters:
    ///   - isLooking: read-only; the token is added to the snapshot, not to the store.
    ///   - isWanted: whether a token of this account is acceptable.
    /// - Returns: the snapshot to use, and the step to report if a token was borrowed.
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

    /// The family refresh token to borrow for this client, and the step to report. Nil if the settings do not allow it,
    /// the store has its own, or no other store has one.
    ///
    /// - Parameter lenders: called only if a token is needed.
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

    /// Other programs' stores that a family refresh token can be borrowed from, in their current state.
    ///
    /// - Parameter client: its own store is left out.
    package func lenders(_ client: ClientChoice) throws(Failure) -> [StoreProbe] {
        try findings(client).dropFirst().filter(\.isUsable)
    }
}
