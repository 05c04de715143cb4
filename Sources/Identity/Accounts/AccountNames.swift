extension Account {
    /// Takes over the names in a silent response of one of its tenants. Names that the response does not have stay, and
    /// a former username is kept.
    ///
    /// - Parameters:
    ///   - username, name: nil if the response has none.
    ///   - localAccountID: the account's in that tenant; tells whether it is the home tenant.
    ///   - tenantID: the realm as in the cache.
    package mutating func takeNames(
        username newUsername: String?, name newName: String?, localAccountID: String, tenantID: String
    ) {
        let isHome = HomeAccountID.isHome(localAccountID, of: homeAccountID)
        let newUsername = newUsername.flatMap { $0.isEmpty ? nil : $0 }
        let newName = newName.flatMap { $0.isEmpty ? nil : $0 }
        let before = usernames
        for index in tenantProfiles.indices
        where tenantProfiles[index].tenantID.isSameIgnoringCase(as: tenantID)
            || (isHome && tenantProfiles[index].isHome)
        {
            tenantProfiles[index].username = newUsername ?? tenantProfiles[index].username
            tenantProfiles[index].name = newName ?? tenantProfiles[index].name
        }
        // The home tenant's, which comes first if it is known.
        if let first = tenantProfiles.first(where: { !$0.username.isEmpty }) {
            username = first.username
        } else if isHome {
            username = newUsername ?? username
        }
        name = tenantProfiles.lazy.compactMap(\.name).first { !$0.isEmpty } ?? (isHome ? newName : nil) ?? name
        keepFormerUsernames(before)
    }

    private mutating func keepFormerUsernames(_ before: [String]) {
        let now = Set(usernames.map { $0.lowercased() })
        var seen = now
        let former = (formerUsernames + before).filter { seen.insert($0.lowercased()).inserted }
        formerUsernames = former.suffix(Self.mostFormerUsernames)
    }

    private var usernames: [String] { ([username] + tenantProfiles.map(\.username)).filter { !$0.isEmpty } }

    /// Older ones are forgotten.
    package static let mostFormerUsernames = 4
}
