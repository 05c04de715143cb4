import Identity
import StrictJSON

/// Numbers home identities, and the people behind them: one home identity in one cloud is one person. Identities are
/// kept as bytes one after the other, without a text for each.
struct PeopleTable: Sendable {
    private struct Home {
        let start: UInt32
        let length: UInt32
        let hash: Int
        /// The first person of this identity; -1 where it has none yet.
        var person: Int32
    }

    private struct Person {
        let home: Int32
        let cloud: Int32
        /// The next person of the same identity; -1 ends.
        var next: Int32
    }

    private var arena: [UInt8] = []
    private var homes: [Home] = []
    private var people: [Person] = []
    /// Numbers of homes by their hashes, at most half full; -1 is a free place.
    private var table = [Int32](repeating: -1, count: 256)
    private var lastHome = -1
    /// The names of environments as they were found, and the number of each one's cloud.
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
    func homeAccountID(of person: Int) -> String { String(decoding: bytes(ofHome: home(of: person)), as: UTF8.self) }

    /// The number of a cloud that somebody was found in.
    func cloud(ofHost host: String) -> Int? {
        Cloud.containing(host: host).flatMap { cloudNames.firstIndex(of: $0.preferredNetwork) }
    }

    /// The number of a home identity that was found.
    func home(_ identity: ArraySlice<UInt8>) -> Int? {
        let place = Int(table[place(of: identity, identity.seededHash)])
        return place >= 0 ? place : nil
    }

    /// Where an identity is in the table, or belongs.
    private func place(of identity: ArraySlice<UInt8>, _ hash: Int) -> Int {
        let mask = table.count - 1
        var place = hash & mask
        while table[place] >= 0 {
            let home = Int(table[place])
            if homes[home].hash == hash, bytes(ofHome: home).isSame(as: identity) { break }
            place = (place + 1) & mask
        }
        return place
    }

    /// The number of a home identity.
    mutating func number(ofHome identity: ArraySlice<UInt8>) -> Int {
        if lastHome >= 0, bytes(ofHome: lastHome).isSame(as: identity) { return lastHome }
        let hash = identity.seededHash
        let place = place(of: identity, hash)
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
            table[place(of: bytes(ofHome: number), home.hash)] = Int32(truncatingIfNeeded: number)
        }
    }

    /// The number of an environment as it is written.
    ///
    /// - Throws: for a host that is not Microsoft's: whose its entries are depends on all entries of the host.
    mutating func number(ofEnvironment bytes: ArraySlice<UInt8>) throws(JSONEntryReader.GaveUp) -> Int {
        if let lastEnvironment, lastEnvironment.bytes[...].isSame(as: bytes) { return lastEnvironment.number }
        let host = String(decoding: bytes, as: UTF8.self).hostLowercased
        let number: Int
        if let known = environments.firstIndex(of: host) {
            number = known
        } else {
            guard let cloud = Cloud.containing(host: host)?.preferredNetwork else { throw JSONEntryReader.GaveUp() }
            number = environments.count
            environments.append(host)
            let known = cloudNames.firstIndex(of: cloud)
            if known == nil { cloudNames.append(cloud) }
            clouds.append(Int32(truncatingIfNeeded: known ?? cloudNames.count - 1))
        }
        lastEnvironment = (Array(bytes), number)
        return number
    }

    /// The number of the person with a home identity in an environment.
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
