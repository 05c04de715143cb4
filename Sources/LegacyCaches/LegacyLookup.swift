package import Identity

package struct LegacyQuery: Hashable, Sendable {
    /// The username, compared without regard to case; nil if unknown.
    package var userID: String?
    /// Compared if the entry has one too: an entry of another home account never matches.
    package var homeAccountID: String?
    package var clientID: String
    /// The client's family: `1` if nothing else is known, nil or empty if it has none.
    package var familyID: String?
    package var authority: Authority

    package init(
        userID: String?, homeAccountID: String? = nil, clientID: String, familyID: String? = "1", authority: Authority
    ) {
        self.userID = userID
        self.homeAccountID = homeAccountID
        self.clientID = clientID
        self.familyID = familyID
        self.authority = authority
    }
}

package enum LegacyFinding: Hashable, Sendable {
    case none
    /// Entries with a refresh token, without duplicates, in the order to try them: own first, then the family's.
    case candidates([LegacyEntry])
    /// The username has several users; one entry of each.
    case ambiguous([LegacyEntry])
}

extension Authority {
    /// Host and path pairs under which a legacy token for this authority can be stored, in lookup order.
    /// Every host name of the cloud with the tenant, then every one with `common`; for `organizations` only `common`;
    /// none for `consumers`, which ADAL did not support. For B2C, External ID, AD FS and OpenID Connect, the authority
    /// itself. The preferred cache host comes first, this authority's host second.
    /// - Parameter aliases: host names of the cloud, the preferred cache host first; nil uses the built-in table.
    package func legacyPlaces(aliases: [String]? = nil) -> [LegacyPlace] {
        guard kind == .aad else { return [LegacyPlace(host: environment, path: address.path.asciiLowercased)] }
        let tenant = tenant.asciiLowercased
        guard tenant != "consumers" else { return [] }
        let known = aliases ?? Self.aliasesForCaches(of: environment)
        var hosts: [String] = []
        for host in known.prefix(1) + [environment] + known.dropFirst() where !hosts.contains(host) {
            hosts.append(host)
        }
        let tenants = tenant == "common" || tenant == "organizations" ? ["common"] : [tenant, "common"]
        return tenants.flatMap { tenant in hosts.map { LegacyPlace(host: $0, path: "/" + tenant) } }
    }

    private static func aliasesForCaches(of host: String) -> [String] {
        guard let cloud = Cloud.containing(host: host) else { return [host] }
        return [cloud.preferredCache] + cloud.aliases.filter { $0 != cloud.preferredCache }
    }
}

/// The host and path, both lowercase, of a legacy token's authority.
package struct LegacyPlace: Hashable, Sendable {
    package let host: String
    package let path: String

    package init(host: String, path: String) { (self.host, self.path) = (host, path) }

    package init(of authority: Authority) {
        host = authority.environment
        path = authority.address.path.asciiLowercased
    }
}

extension [LegacyEntry] {
    /// Refresh tokens that match a query, in the order to try them: within each pass (the client's own, then the
    /// family's) that of ``Authority/legacyPlaces(aliases:)``. Entries of other tenants in the same cloud come last, as
    /// Entra ID refresh tokens are not bound to a tenant. Without a username, only one user's tokens can match. Several
    /// home accounts with one username are ambiguous.
    package func find(_ query: LegacyQuery, aliases: [String]? = nil) -> LegacyFinding {
        let places = query.authority.legacyPlaces(aliases: aliases)
        guard !places.isEmpty else { return .none }
        let hosts = Set(places.map(\.host))
        let matching = filter { entry in
            entry.refreshToken != nil && entry.isPerson(of: query) && entry.authority.kind == query.authority.kind
                && hosts.contains(entry.authority.environment) && (entry.isOwn(of: query) || entry.isFamily(of: query))
        }.filter { query.authority.kind == .aad || places.contains(LegacyPlace(of: $0.authority)) }
            .filter { $0.authority.issuer == query.authority.issuer }
        let people = matching.onePerPerson
        guard people.count <= 1 else { return .ambiguous(people) }

        func rank(_ entry: LegacyEntry) -> Int {
            places.firstIndex(of: LegacyPlace(of: entry.authority)) ?? places.count
        }
        var found: [LegacyEntry] = []
        for pass in [matching.filter { $0.isOwn(of: query) }, matching.filter { !$0.isOwn(of: query) }] {
            // The file's order decides among equals, so that the result is the same each time.
            for (_, entry) in pass.enumerated().sorted(by: {
                (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
            })
            where !found.contains(where: { $0.refreshToken == entry.refreshToken }) {
                found.append(entry)
            }
        }
        return found.isEmpty ? .none : .candidates(found)
    }

    package var onePerPerson: [LegacyEntry] { people.compactMap(\.first) }

    /// Entries grouped by user: by home account if known, else by username and cloud. Entries without a home account
    /// join the one that has their username. Two object IDs in one tenant are two users.
    package var people: [[LegacyEntry]] {
        var people: [LegacyPerson] = []
        var homes: [LegacyPerson.PersonKey: Int] = [:]
        var names: [LegacyPerson.PersonKey: [Int]] = [:]
        // Entries with a home account come first, so that the others can join them.
        for entry in filter({ $0.homeAccountID != nil }) + filter({ $0.homeAccountID == nil }) {
            let name = LegacyPerson.PersonKey(entry.userID?.asciiLowercased, entry)
            let home = entry.homeAccountID.map {
                LegacyPerson.PersonKey(HomeAccountID.canonical($0, issuer: entry.authority.issuer), entry)
            }
            let known = home.map { homes[$0] } ?? names[name]?.first { people[$0].admits(entry) }
            let place = known ?? people.count
            if place == people.count { people.append(LegacyPerson()) }
            people[place].add(entry)
            if let home { homes[home] = place }
            if names[name]?.contains(place) != true { names[name, default: []].append(place) }
        }
        return people.map(\.entries)
    }
}

private struct LegacyPerson {
    /// A username or ID within a cloud.
    struct PersonKey: Hashable {
        let text: String?
        let cloud: String

        init(_ text: String?, _ entry: LegacyEntry) {
            self.text = text
            cloud =
                entry.authority.issuer ?? Cloud.containing(host: entry.authority.environment)?.name
                ?? entry.authority.environment
        }
    }

    var entries: [LegacyEntry] = []
    /// The object ID in each tenant.
    private var objects: [String: String] = [:]

    func admits(_ entry: LegacyEntry) -> Bool {
        guard let object = entry.objectID, let tenant = entry.tenantID, let known = objects[tenant.asciiLowercased]
        else { return true }
        return known == object.asciiLowercased
    }

    mutating func add(_ entry: LegacyEntry) {
        entries.append(entry)
        if let object = entry.objectID, let tenant = entry.tenantID {
            objects[tenant.asciiLowercased] = object.asciiLowercased
        }
    }
}

extension LegacyEntry {
    fileprivate func isPerson(of query: LegacyQuery) -> Bool {
        if let wanted = query.homeAccountID, let homeAccountID {
            return HomeAccountID.isSame(wanted, homeAccountID, issuer: authority.issuer)
        }
        // No user was requested: the caller checks that all matches belong to one user.
        guard let wanted = query.userID else { return query.homeAccountID == nil }
        return userID?.asciiLowercased == wanted.asciiLowercased
    }

    fileprivate func isOwn(of query: LegacyQuery) -> Bool { clientID.asciiLowercased == query.clientID.asciiLowercased }

    fileprivate func isFamily(of query: LegacyQuery) -> Bool {
        guard let wanted = query.familyID, !wanted.isEmpty else { return false }
        return familyID == wanted
    }
}
