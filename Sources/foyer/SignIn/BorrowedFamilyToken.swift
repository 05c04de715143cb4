import FoundationEssentials
import Identity
import SilentFirst
import TokenCache

extension CommandContext {
    /// The store with a family refresh token of another program's in it, when the settings allow that, this client is
    /// of the family, and the store has nothing of its own for it. The other store is only read; what the provider
    /// gives goes into ours.
    ///
    /// - Parameter isLooking: whether nothing may be written: then the token goes into the snapshot alone.
    /// - Returns: the snapshot to go on with.
    func borrowingFamily(
        _ snapshot: CacheSnapshot, _ cache: TokenCache, _ client: ClientChoice, isLooking: Bool = false
    ) throws(Failure) -> CacheSnapshot {
        guard settings.familyOfOtherStores.serves(client),
            FamilyBorrowing.isWanted(in: snapshot, clientID: client.clientID, account: isWanted)
        else { return snapshot }
        let others = try findings(client).dropFirst().filter(\.isUsable)
        guard
            let (finding, token) = FamilyBorrowing.choose(
                among: others.map { ($0, $0.snapshot) }, clientID: client.clientID, account: isWanted)
        else { return snapshot }
        let record = token.record(at: Date())
        output.step(
            Step(
                .familyRefreshToken, .done,
                """
                \(clientName(token.holder))'s, from the store \(finding.source.name) of \(finding.source.program) \
                (\(finding.source.place))
                """
            ))
        do throws(StoreError) {
            if isLooking { return try snapshot.with(record) }
            try cache.save(record)
            return try cache.read()
        } catch { throw Failure(error) }
    }

    private func isWanted(_ account: Account) -> Bool {
        guard let wanted = shared.account?.lowercased(), !wanted.isEmpty else { return true }
        return account.label.lowercased().hasPrefix(wanted) || account.homeAccountID.lowercased().hasPrefix(wanted)
    }
}
