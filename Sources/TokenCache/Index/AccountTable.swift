import Identity
import StrictJSON

/// Numbers home account IDs and users: one ID in one cloud is one user. IDs share one byte array, without Strings, each
/// in the spelling that was found first.
struct AccountTable: Sendable {
    private struct Home {
        let start: UInt32
        let length: UInt32
        let hash: Int
        /// The first user with this ID; -1 if none yet.
        var person: Int32
    }

    private struct Person {
        let home: Int32
        let cloud: Int32
        /// The next user with the same ID; -1 at the end.
        var next: Int32
    }

    private var arena: [UInt8] = []
    private var homes: [Home] = []
    private var people: [Person] = []
    /// Hash table of home numbers, at most half full; -1 marks a free slot.
    private var table = [Int32](repeating: -1, count: 256)
    private var lastHome = -1
    /// Host names as found, and the number of each one's cloud.
    private(set) var environments: [String] = []
    private var clouds: [Int32] = []
    private var cloudNames: [String] = []
    private var lastEnvironment: (bytes: [UInt8], number: Int)?

    var homeCount: Int { homes.count }
    var count: Int { people.count }

    private func bytes(ofHome home: Int) -> ArraySlice<UInt8> {
        arena[Int(homes[home].start)..<Int(homes[home].start + homes[home].length)]
    }

    func home(of person: Int) -> Int { Int(people[person].home) }
    func cloud(of person: Int) -> Int { Int(people[person].cloud) }
    func homeAccountID(of person: Int) -> String { homeAccountID(ofHome: home(of: person)) }
    func homeAccountID(ofHome home: Int) -> String { String(decoding: bytes(ofHome: home), as: UTF8.self) }

    func cloud(ofHost host: String) -> Int? {
        Cloud.containing(host: host).flatMap { cloudNames.firstIndex(of: $0.preferredNetwork) }
    }

    func home(_ identity: ArraySlice<UInt8>) -> Int? {
        let canonical = Self.canonical(identity)
        let place = Int(table[place(of: canonical, canonical.seededHash)])
        return place >= 0 ? place : nil
    }

    private static func canonical(_ identity: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        HomeAccountID.canonical(identity)?[...] ?? identity
    }

    /// The slot of a canonical ID in the table, or the free slot for it.
    private func place(of identity: ArraySlice<UInt8>, _ hash: Int) -> Int {
        let mask = table.count - 1
        var place = hash & mask
        while table[place] >= 0 {
            let home = Int(table[place])
            if homes[home].hash == hash, Self.canonical(bytes(ofHome: home)).isSame(as: identity) { break }
            place = (place + 1) & mask
        }
        return place
    }

    mutating func number(ofHome identity: ArraySlice<UInt8>) -> Int {
        if lastHome >= 0, bytes(ofHome: lastHome).isSame(as: identity) { return lastHome }
        let canonical = Self.canonical(identity)
        let hash = canonical.seededHash
        let place = place(of: canonical, hash)
        if table[place] >= 0 {
            lastHome = Int(table[place])
            return lastHome
        }
        lastHome = homes.count
        table[place] = Int32(truncatingIfNeeded: lastHome)
        homes.append(
            Home(
                start: UInt32(truncatingIfNeeded: arena.count), length: UInt32(truncatingIfNeeded: identity.count),
                hash: hash, person: -1))
        arena += identity
        if homes.count * 2 > table.count { grow() }
        return lastHome
    }

    private mutating func grow() {
        table = [Int32](repeating: -1, count: table.count * 4)
        for (number, home) in homes.enumerated() {
            table[place(of: Self.canonical(bytes(ofHome: number)), home.hash)] = Int32(truncatingIfNeeded: number)
        }
    }

    /// - Throws: for hosts that are not Microsoft's, as the owner of such an entry depends on all entries of the host.
    mutating func number(ofEnvironment bytes: ArraySlice<UInt8>) throws(JSONEntryReader.NeedsFullRead) -> Int {
        if let lastEnvironment, lastEnvironment.bytes[...].isSame(as: bytes) { return lastEnvironment.number }
        let host = String(decoding: bytes, as: UTF8.self).hostLowercased
        let number: Int
        if let known = environments.firstIndex(of: host) {
            number = known
        } else {
            guard let cloud = Cloud.containing(host: host)?.preferredNetwork else {
                throw JSONEntryReader.NeedsFullRead()
            }
            number = environments.count
            environments.append(host)
            let known = cloudNames.firstIndex(of: cloud)
            if known == nil { cloudNames.append(cloud) }
            clouds.append(Int32(truncatingIfNeeded: known ?? cloudNames.count - 1))
        }
        lastEnvironment = (Array(bytes), number)
        return number
    }

    mutating func person(home: Int, environment: Int) -> Int {
        let cloud = clouds[environment]
        var known = homes[home].person
        while known >= 0 {
            if people[Int(known)].cloud == cloud { return Int(known) }
            known = people[Int(known)].next
        }
        let number = people.count
        people.append(Person(home: Int32(truncatingIfNeeded: home), cloud: cloud, next: homes[home].person))
        homes[home].person = Int32(truncatingIfNeeded: number)
        return number
    }
}
