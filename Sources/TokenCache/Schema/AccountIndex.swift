import Identity
import StrictJSON

/// Numbers the users of a cache, so that thousands of entries can be compared by their bytes, without Strings. A user
/// is one home account ID in environments that are aliases of one cloud, or at one issuer.
struct AccountIndex {
    private let outline: JSONOutline
    private let issuers: AccountIssuers
    /// Hash table of user numbers, at most half full; a negative number marks a free slot.
    private var table = [Int](repeating: -1, count: 64)
    private var names: [HomeIdentity] = []
    private var lastEnvironment: JSONOutline.Node?
    private var lastCloud = 0
    private var clouds = NameInterner()
    private var issuerNumbers = NameInterner()
    /// The clients of each user, as indices into ``clientNames``.
    private(set) var clients: [[Int]] = []
    private(set) var clientNames: [String] = []
    private var lastClient: (node: JSONOutline.Node, number: Int)?
    private var last = -1

    /// A home account ID as written, and the numbers of its cloud and issuer.
    private struct HomeIdentity {
        let home: JSONOutline.Node
        let cloud: Int
        /// Zero if unknown.
        let issuer: Int
        let hash: Int
    }

    init(_ outline: JSONOutline, _ issuers: AccountIssuers) { (self.outline, self.issuers) = (outline, issuers) }

    /// The number of an entry's user; nil for entries without one.
    mutating func number(of entry: CacheEntry) -> Int? {
        guard let home = outline.field("home_account_id", of: entry.node), outline.isString(home),
            !outline.isString(home, equalTo: []),
            let cloud = cloud(of: entry)
        else { return nil }
        let issuer = issuers.issuer(of: entry).map { number(ofIssuer: $0) } ?? 0
        // A user's entries are often next to each other.
        if last >= 0, names[last].cloud == cloud, names[last].issuer == issuer,
            outline.isSameSource(names[last].home, home)
        {
            return last
        }
        let id = outline.inner(of: home)
        let canonical = issuer == 0 ? HomeAccountID.canonical(id) : nil
        let hash = (canonical?[...] ?? id).seededHash
        var place = hash & (table.count - 1)
        while table[place] >= 0 {
            let name = names[table[place]]
            if name.hash == hash, name.cloud == cloud, name.issuer == issuer, isSame(name.home, home, issuer) {
                last = table[place]
                return last
            }
            place = (place + 1) & (table.count - 1)
        }
        last = names.count
        table[place] = last
        names.append(HomeIdentity(home: home, cloud: cloud, issuer: issuer, hash: hash))
        clients.append([])
        if names.count * 2 > table.count { grow() }
        return last
    }

    func provider(of person: Int) -> FormerUsernames.Provider {
        .init(cloud: names[person].cloud, issuer: names[person].issuer)
    }

    /// - Parameter issuer: of both; zero if unknown.
    private func isSame(_ one: JSONOutline.Node, _ other: JSONOutline.Node, _ issuer: Int) -> Bool {
        outline.isSameSource(one, other)
            || (issuer == 0 && outline.isSameSourceIgnoringCase(one, other)
                && outline.inner(of: one).withUnsafeBytes { HomeAccountID.hasTenant($0) })
    }

    private mutating func number(ofIssuer issuer: String) -> Int { issuerNumbers.number(of: issuer) + 1 }

    private mutating func grow() {
        table = [Int](repeating: -1, count: table.count * 4)
        for (number, name) in names.enumerated() {
            var place = name.hash & (table.count - 1)
            while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
            table[place] = number
        }
    }

    mutating func note(_ entry: CacheEntry, of person: Int) {
        guard let field = outline.field("client_id", of: entry.node) else { return }
        let number: Int
        if let lastClient, outline.isSameSource(lastClient.node, field) {
            number = lastClient.number
        } else {
            guard let name = entry.clientID else { return }
            if let known = clientNames.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
                number = known
            } else {
                number = clientNames.count
                clientNames.append(name)
            }
            lastClient = (field, number)
        }
        if !clients[person].contains(number) { clients[person].append(number) }
    }

    /// Runs of entries have the same environment, so most only need a comparison with the last one.
    private mutating func cloud(of entry: CacheEntry) -> Int? {
        guard let field = outline.field("environment", of: entry.node) else { return nil }
        if let lastEnvironment, outline.isSameSource(lastEnvironment, field) { return lastCloud }
        guard let name = outline.string(of: field)?.hostLowercased, !name.isEmpty else { return nil }
        let cloud = Cloud.containing(host: name)?.preferredNetwork ?? name
        lastEnvironment = field
        lastCloud = clouds.number(of: cloud)
        return lastCloud
    }
}

/// Numbers names from zero, in the order of first use.
private struct NameInterner {
    /// Names compared one by one: Swift's first hash table of a type costs more than a whole lookup in a small store.
    private static let few = 16
    private var list: [String] = []
    private var table: [String: Int] = [:]

    mutating func number(of name: String) -> Int {
        if let number = list.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return number }
        if list.count < Self.few {
            list.append(name)
            return list.count - 1
        }
        let number = table[name] ?? list.count + table.count
        table[name] = number
        return number
    }
}
