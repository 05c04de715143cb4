package import Identity

/// What a client was granted of one scope of an account.
package enum ScopeStatus: String, Hashable, Sendable, CaseIterable {
    /// A token in the store has it.
    case granted
    /// The provider was asked and did not grant it.
    case declined
    /// It was asked for, or is in the settings, and no token in the store has it.
    case requested
}

/// What one client holds, was refused and wants at one resource in one tenant: the same for the screen, the table and
/// the JSON.
package struct ConsentRow: Hashable, Sendable {
    package var clientID: String
    package var realm: String
    /// As ``/Identity/ScopeSet/byResource`` names it.
    package var resource: String
    /// The scopes of cached access tokens: consent itself is kept by the provider.
    package var granted: ScopeSet = []
    /// Granted or not, what was asked for and what the settings name.
    package var requested: ScopeSet = []
    package var declined: ScopeSet = []

    /// Requested and neither granted nor declined.
    package var open: ScopeSet { requested.declined(granted: granted).subtracting(declined) }

    /// What by default only an administrator can consent to.
    package var administrators: ScopeSet {
        ScopeSet(
            granted.union(declined).union(requested).names.filter { ScopeMeaning.of($0)?.needsAdministrator == true })
    }

    /// The rows of an account, in the order of its tokens; then what was asked for without getting any.
    ///
    /// - Parameter configured: the scopes that the settings, or the command line, name for a client.
    package static func rows(_ overview: AccountOverview, configured: (String) -> ScopeSet) -> [ConsentRow] {
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
        return holders.flatMap { holder in
            let note = overview.consent.first {
                $0.clientID == holder.clientID && $0.realm.asciiLowercased == holder.realm.asciiLowercased
            }
            // What a token has was asked for, at least by that.
            let asked = (note?.asked ?? []).union(configured(holder.clientID).withoutReserved)
            return rows(
                holder.clientID, holder.realm, holder.granted, asked,
                note?.declined.declined(granted: holder.granted) ?? [])
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
            // Graph's short names are asked for where its long ones were granted, and the other way round.
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
