package import Identity

/// Which legacy refresh tokens may answer for an account.
package struct LegacyQuery: Hashable, Sendable {
    /// The name that the person signs in by, compared without regard to case; nil when it is not known.
    package var userID: String?
    /// Compared where the entry has one as well: an entry of another home account never answers.
    package var homeAccountID: String?
    package var clientID: String
    /// The family of the client: `1` when nothing else is known, nil or empty when it is of none.
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

/// What a look-up among legacy entries gives.
package enum LegacyFinding: Hashable, Sendable {
    case none
    /// Entries with a refresh token, each token once, in the order in which they are to be tried: the client's own,
    /// then the family's.
    case candidates([LegacyEntry])
    /// Several people are behind the name; an entry of each.
    case ambiguous([LegacyEntry])
}

extension Authority {
    /// The authorities under which a legacy token for this one may be kept, as host and tenant, in the order in which
    /// they are looked at.
    ///
    /// Every host name of the cloud with the tenant, then every one with `common`; `organizations` only with `common`;
    /// none for `consumers`, whose people ADAL did not know; for B2C, external ID, AD FS and plain OpenID Connect the
    /// authority itself. The name that caches prefer comes first, the one that was asked second.
    ///
    /// - Parameter aliases: the host names of the cloud, the preferred one for caches first; nil takes the built-in
    ///   table.
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

/// A host and a path, both lower-case, under which legacy tokens are kept.
package struct LegacyPlace: Hashable, Sendable {
    package let host: String
    package let path: String

    package init(host: String, path: String) { (self.host, self.path) = (host, path) }

    /// Where an entry is kept.
    package init(of authority: Authority) {
        host = authority.environment
        path = authority.address.path.asciiLowercased
    }
}

extension [LegacyEntry] {
    /// The refresh tokens that may answer for a person, in the order in which they are to be tried.
    ///
    /// Within each pass (the client's own, then the family's) the places of ``Authority/legacyPlaces(aliases:)`` are
    /// gone through in order. The tenant that a token was won at does not bind it: an entry of the person in another
    /// tenant of the same cloud comes last, as a refresh token of Entra ID has no tenant. Without a name, one person's
    /// tokens alone may answer. Several home accounts behind one name are never chosen between.
    ///
    /// - Parameters:
    ///   - query: who is looked for, and for whom.
    ///   - aliases: as for ``Authority/legacyPlaces(aliases:)``.
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
            // Sorting keeps the file's order among equals: places are few and the order of equals must be the same each
            // time.
            for (_, entry) in pass.enumerated().sorted(by: {
                (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
            })
            where !found.contains(where: { $0.refreshToken == entry.refreshToken }) {
                found.append(entry)
            }
        }
        return found.isEmpty ? .none : .candidates(found)
    }

    /// An entry of each person.
    package var onePerPerson: [LegacyEntry] { people.compactMap(\.first) }

    /// The entries of each person: by home account where it is known, else by name and cloud; entries of one name join
    /// the one home account that the name has, and two object identifiers in one tenant are two people.
    package var people: [[LegacyEntry]] {
        var people: [LegacyPerson] = []
        var homes: [LegacyPerson.PersonKey: Int] = [:]
        var names: [LegacyPerson.PersonKey: [Int]] = [:]
        // Those with a home account come first, so that the others can join them.
        for entry in filter({ $0.homeAccountID != nil }) + filter({ $0.homeAccountID == nil }) {
            let name = LegacyPerson.PersonKey(entry.userID?.asciiLowercased, entry)
            let home = entry.homeAccountID.map { LegacyPerson.PersonKey($0, entry) }
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

/// Somebody behind legacy entries.
private struct LegacyPerson {
    /// A name or identifier within a cloud.
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
    /// The object identifier in each tenant.
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
        if let wanted = query.homeAccountID, let homeAccountID { return wanted == homeAccountID }
        // Nobody in particular is asked for: whether that is one person only is seen from all that match.
        guard let wanted = query.userID else { return query.homeAccountID == nil }
        return userID?.asciiLowercased == wanted.asciiLowercased
    }

    fileprivate func isOwn(of query: LegacyQuery) -> Bool { clientID.asciiLowercased == query.clientID.asciiLowercased }

    fileprivate func isFamily(of query: LegacyQuery) -> Bool {
        guard let wanted = query.familyID, !wanted.isEmpty else { return false }
        return familyID == wanted
    }
}
