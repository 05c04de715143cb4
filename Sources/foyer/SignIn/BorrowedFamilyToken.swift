import FoundationEssentials
import Identity
import SilentFirst
import TokenCache

extension CommandContext {
    /// The store with a family refresh token of another program's in it, when the settings allow that, this client is
    /// of the family, and the store has nothing of its own for it. The other store is only read; what the provider
    /// gives goes into ours.
    ///
    /// - Parameters:
    ///   - isLooking: whether nothing may be written: then the token goes into the snapshot alone.
    ///   - isWanted: whether it may be this account's.
    /// - Returns: the snapshot to go on with, and what was done, if anything was.
    func borrowingFamily(
        _ snapshot: CacheSnapshot, _ cache: TokenCache, _ client: ClientChoice, isLooking: Bool = false,
        account isWanted: (Account) -> Bool
    ) throws(Failure) -> (snapshot: CacheSnapshot, step: Step?) {
        guard settings.familyOfOtherStores.serves(client),
            FamilyBorrowing.isWanted(in: snapshot, clientID: client.clientID, account: isWanted)
        else { return (snapshot, nil) }
        let others = try findings(client).dropFirst().filter(\.isUsable)
        guard
            let (finding, token) = FamilyBorrowing.choose(
                among: others.map { ($0, $0.snapshot) }, clientID: client.clientID, account: isWanted)
        else { return (snapshot, nil) }
        let record = token.record(at: Date())
        let step = Step(
            .familyRefreshToken, .done,
            """
            \(clientName(token.holder))'s, from the store \(finding.source.name) of \(finding.source.program) \
            (\(finding.source.place))
            """)
        do throws(StoreError) {
            if isLooking { return (try snapshot.with(record), step) }
            try cache.save(record)
            return (try cache.read(), step)
        } catch { throw Failure(error) }
    }
}
