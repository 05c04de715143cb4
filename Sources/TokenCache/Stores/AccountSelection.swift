import Identity
import StrictJSON

/// The entries of a store that ``TokenCache/read(onlyAccountsMeantBy:)`` needs for a cached token. The result is
/// the same as from the whole store. If that is uncertain (an account ID not in plain ASCII, an unusual layout), there
/// is no selection.
struct AccountSelection {
    private let text: String
    private var entries: [Found] = []
    private var sections: [(name: String, section: Section?)] = []
    /// The home account IDs that match the text.
    private var meant: [[UInt8]] = []

    /// The fields that ``note(_:)`` needs. The third one contains a guest's tenants, with usernames inside strings.
    static let fields = ["home_account_id", "username", "tenantProfiles", "former_username"]

    /// Successive entries of a section with the same owner: text that is read in one piece.
    private struct Found {
        let section: UInt32
        let offset: UInt32
        var count: UInt32
        /// A hash of the home account ID; zero for entries without an owner, which are all needed.
        let owner: UInt32
    }

    /// - Parameter text: see ``Identity/AccountChoice``; nil if only a full read can resolve the text.
    init?(_ text: String) {
        guard !text.isEmpty, !Account.isUnidentified(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.text = text
    }

    /// Records an entry; false if the store must be read as a whole.
    mutating func note(_ entry: JSONEntryWalk.Entry) -> Bool {
        if sections.count <= entry.sectionNumber {
            // Sections without entries are not reported.
            while sections.count < entry.sectionNumber { sections.append(("", nil)) }
            sections.append((entry.section, Section(rawValue: entry.section)))
        }
        let section = sections[entry.sectionNumber].section
        var owner: UInt32 = 0
        switch section {
        case .appMetadata, .legacy, nil: break
        case .accountMetadata:
            guard entry.has(3) else { break }
            guard let identity = entry.text(0), let username = entry.text(3) else { return false }
            take(identity, if: Account.matches(by: text, label: username, homeAccountID: identity))
        case .accessToken, .refreshToken, .idToken, .account:
            guard let identity = entry.text(0) else { return false }
            owner = Self.owner(identity)
            guard section == .account else { break }
            guard let username = entry.text(1), !entry.has(2) else { return false }
            take(identity, if: Account.matches(by: text, label: username, homeAccountID: identity))
        }
        // A file that has grown too much.
        guard let end = UInt32(exactly: entry.offset + entry.bytes.count) else { return false }
        let (offset, number) = (UInt32(entry.offset), UInt32(entry.sectionNumber))
        if let last = entries.last, last.section == number, last.owner == owner {
            entries[entries.count - 1].count = end - last.offset
        } else {
            entries.append(Found(section: number, offset: offset, count: end - offset, owner: owner))
        }
        return true
    }

    private mutating func take(_ identity: UnsafeRawBufferPointer, if isMeant: Bool) {
        guard isMeant, !meant.contains(where: { $0.elementsEqual(identity) }) else { return }
        meant.append(Array(identity))
    }

    /// The selected entries as a store of their own; nil if a read failed.
    func text(_ read: (_ offset: Int, _ count: Int) -> [UInt8]?) -> [UInt8]? {
        let owners = meant.map { $0.withUnsafeBytes { Self.owner($0) } }
        var text: [UInt8] = [UInt8(ascii: "{")]
        var last: UInt32?
        for entry in entries where entry.owner == 0 || owners.contains(entry.owner) {
            guard let bytes = read(Int(entry.offset), Int(entry.count)) else { return nil }
            if last == entry.section {
                text.append(UInt8(ascii: ","))
            } else {
                text += Array((last == nil ? "\"" : "},\"").utf8) + Array(sections[Int(entry.section)].name.utf8)
                text += Array("\":{".utf8)
                last = entry.section
            }
            text += bytes
        }
        text += Array((last == nil ? "}" : "}}").utf8)
        return text
    }

    /// A hash for comparisons only, faster than Swift's; the same for IDs that differ in case. On a collision both IDs
    /// are selected; readers of the selection compare the actual IDs.
    private static func owner(_ identity: UnsafeRawBufferPointer) -> UInt32 {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var hash: UInt64 = 0
        func add(_ word: UInt64) {
            hash = (hash ^ (word | 0x2020_2020_2020_2020)) &* factor
            hash ^= hash >> 32
        }
        var place = 0
        while place &+ 8 <= identity.count {
            add(identity.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place &+= 8
        }
        while place < identity.count {
            add(UInt64(identity[place]))
            place &+= 1
        }
        return max(1, UInt32(truncatingIfNeeded: hash))
    }
}
