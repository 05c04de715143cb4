/// What earlier sign-ins of a client asked for in a tenant, where the tokens alone do not tell it: what was declined,
/// and what was consented to beside the token.
package struct ConsentRecord: Hashable, Sendable {
    package var clientID: String
    /// The tenant as the cache writes it.
    package var realm: String
    package var asked: ScopeSet
    /// What the provider did not grant when it was asked last.
    package var declined: ScopeSet

    package init(clientID: String, realm: String, asked: ScopeSet, declined: ScopeSet) {
        (self.clientID, self.realm, self.asked, self.declined) = (clientID, realm, asked, declined)
    }

    /// The note after one more sign-in: what is granted now was not declined, whatever was said before.
    ///
    /// - Parameter granted: what the last answer granted.
    package func adding(asked more: ScopeSet, granted: ScopeSet, declined refused: ScopeSet) -> ConsentRecord {
        let open = declined.union(refused).declined(granted: granted)
        return ConsentRecord(
            clientID: clientID, realm: realm, asked: Self.bounded(asked.union(more)), declined: Self.bounded(open))
    }

    /// A note must stay small, however often somebody asks.
    private static func bounded(_ scopes: ScopeSet) -> ScopeSet { ScopeSet(scopes.names.suffix(200)) }
}
