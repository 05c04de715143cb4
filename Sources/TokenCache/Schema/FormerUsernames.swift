import Identity

// Usernames that accounts had before a silent call reported new ones. They find the account until its next sign-in.

extension CacheSnapshot {
    /// Metadata beyond this is not from this program.
    private static let mostMarks = 10_000

    /// The former usernames of each user, oldest first, except those that another user has now.
    func formerUsernames(_ people: inout AccountIndex) -> [(person: Int, names: [String])] {
        var found: [(person: Int, marks: [FormerUsername])] = []
        for entry in entries(.accountMetadata).prefix(Self.mostMarks) {
            guard let mark = FormerUsername(entry), let person = people.number(of: entry) else { continue }
            if let place = found.firstIndex(where: { $0.person == person }) {
                found[place].marks.append(mark)
            } else {
                found.append((person, [mark]))
            }
        }
        guard !found.isEmpty else { return [] }
        var names = FormerUsernames()
        for (person, marks) in found {
            names.add(marks.newest.map(\.name), of: person, at: people.provider(of: person))
        }
        for entry in entries(.account) {
            guard let person = people.number(of: entry), !people.clients[person].isEmpty else { continue }
            for name in [entry.text("username") ?? ""] + Self.nestedProfiles(of: entry).map(\.username) {
                names.note(name, isOf: person, at: people.provider(of: person))
            }
        }
        return names.list
    }
}

/// Former usernames of users by their numbers. A name that another signed-in user of the same provider has now means
/// that user.
struct FormerUsernames {
    /// A cloud and an issuer, by number.
    struct Provider: Equatable {
        let cloud: Int
        let issuer: Int
    }

    private(set) var list: [(person: Int, names: [String])] = []
    private var providers: [Provider] = []
    private var places: [String: [Int]] = [:]

    mutating func add(_ names: [String], of person: Int, at provider: Provider) {
        for name in names { places[name.lowercased(), default: []].append(list.count) }
        list.append((person, names))
        providers.append(provider)
    }

    /// Notes a username that a signed-in user has now.
    mutating func note(_ username: String, isOf person: Int, at provider: Provider) {
        guard !username.isEmpty, let places = places[username.lowercased()] else { return }
        for place in places where list[place].person != person && providers[place] == provider {
            list[place].names.removeAll { $0.lowercased() == username.lowercased() }
        }
    }
}

/// An entry in foyer's own section of the store.
struct FormerUsername {
    let name: String
    private let since: Int64
    let entry: CacheEntry

    init?(_ entry: CacheEntry) {
        guard let name = entry.filled("former_username") else { return nil }
        self.name = name
        since = entry.date("last_modification_time")?.epochSeconds ?? 0
        self.entry = entry
    }

    func isSame(as other: String) -> Bool { name.lowercased() == other.lowercased() }

    func isOlder(than other: FormerUsername) -> Bool {
        (since, entry.index) < (other.since, other.entry.index)
    }
}

extension [FormerUsername] {
    /// The latest ones, oldest first.
    var newest: [FormerUsername] {
        Array(sorted { $0.isOlder(than: $1) }.suffix(Account.mostFormerUsernames))
    }
}
