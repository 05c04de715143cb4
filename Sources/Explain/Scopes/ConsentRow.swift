package import Identity

package enum ScopeStatus: String, Hashable, Sendable, CaseIterable {
    /// A token in the store has it.
    case granted
    /// Requested, and not granted by the provider.
    case declined
    /// Requested, or in the settings, but in no stored token.
    case requested
}

/// A client's granted, declined and requested scopes for one resource in one tenant, for the screen, the table and
/// JSON.
package struct ConsentRow: Hashable, Sendable {
    package var clientID: String
    package var realm: String
    package var resource: String
    /// The scopes of cached access tokens: only the provider knows the actual consent.
    package var granted: ScopeSet = []
    /// Scopes that were requested or are in the settings, granted or not.
    package var requested: ScopeSet = []
    package var declined: ScopeSet = []
    package var issuer = ScopeIssuer.microsoft

    /// Requested, but neither granted nor declined.
    package var open: ScopeSet { requested.declined(granted: granted).subtracting(declined) }

    /// Scopes that by default only an administrator can consent to.
    package var administrators: ScopeSet {
        ScopeSet(
            granted.union(declined).union(requested).names.filter {
                ScopeMeaning.of($0, at: issuer)?.needsAdministrator == true
            })
    }

    /// The rows of an account in the order of its tokens, then those of clients that requested scopes and got none.
    ///
    /// - Parameters:
    ///   - issuer: nil to derive it from the account alone.
    ///   - configured: a client's scopes from the settings or the command line.
    package static func rows(
        _ overview: AccountOverview, at issuer: ScopeIssuer? = nil, configured: (String) -> ScopeSet
    ) -> [ConsentRow] {
        let issuer = issuer ?? ScopeIssuer(overview.account)
        var holders: [(clientID: String, realm: String, granted: ScopeSet)] = []
        func place(_ clientID: String, _ realm: String) -> Int {
            if let known = holders.firstIndex(where: {
                $0.clientID == clientID && $0.realm.asciiLowercased == realm.asciiLowercased
            }) {
                return known
            }
            holders.append((clientID, realm, []))
            return holders.count - 1
        }
        for token in overview.credentials where token.kind == .accessToken {
            let holder = place(token.clientID, token.realm)
            holders[holder].granted = holders[holder].granted.union(token.scopes)
        }
        for note in overview.consent { _ = place(note.clientID, note.realm) }
        let rows = holders.flatMap { holder in
            let note = overview.consent.first {
                $0.clientID == holder.clientID && $0.realm.asciiLowercased == holder.realm.asciiLowercased
            }
            // The scopes of a token were requested at some time.
            let asked = (note?.asked ?? []).union(configured(holder.clientID).withoutReserved)
            return Self.rows(
                holder.clientID, holder.realm, holder.granted, asked,
                note?.declined.declined(granted: holder.granted) ?? [])
        }
        return rows.map { row in
            var row = row
            row.issuer = issuer
            return row
        }
    }

    private static func rows(
        _ clientID: String, _ realm: String, _ granted: ScopeSet, _ asked: ScopeSet, _ declined: ScopeSet
    )
        -> [ConsentRow]
    {
        var rows: [ConsentRow] = []
        func row(_ resource: String) -> Int {
            if let known = rows.firstIndex(where: { $0.resource.asciiLowercased == resource.asciiLowercased }) {
                return known
            }
            rows.append(ConsentRow(clientID: clientID, realm: realm, resource: resource))
            return rows.count - 1
        }
        for group in granted.byResource { rows[row(group.resource)].granted = group.scopes }
        for group in declined.byResource { rows[row(group.resource)].declined = group.scopes }
        for group in asked.byResource {
            // Graph has short and long scope names: the granted form can differ from the requested one.
            let known = group.scopes.declined(granted: granted)
            let index =
                known.isEmpty
                ? rows.firstIndex { $0.resource.asciiLowercased == group.resource.asciiLowercased }
                : row(group.resource)
            if let index { rows[index].requested = group.scopes }
        }
        return rows
    }
}
