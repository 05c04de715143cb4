/// The requested and declined scopes of a client's earlier sign-ins in a tenant, which the tokens alone do not show.
package struct ConsentRecord: Hashable, Sendable {
    package var clientID: String
    package var realm: String
    package var asked: ScopeSet
    package var declined: ScopeSet

    package init(clientID: String, realm: String, asked: ScopeSet, declined: ScopeSet) {
        (self.clientID, self.realm, self.asked, self.declined) = (clientID, realm, asked, declined)
    }

    /// The record after another sign-in: scopes granted now no longer count as declined.
    ///
    /// - Parameter granted: the scopes that the latest response granted.
    package func adding(asked more: ScopeSet, granted: ScopeSet, declined refused: ScopeSet) -> ConsentRecord {
        let open = declined.union(refused).declined(granted: granted)
        return ConsentRecord(
            clientID: clientID, realm: realm, asked: Self.bounded(asked.union(more)), declined: Self.bounded(open))
    }

    /// Keeps the record small after many requests.
    private static func bounded(_ scopes: ScopeSet) -> ScopeSet { ScopeSet(scopes.names.suffix(200)) }
}
