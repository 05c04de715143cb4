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

    /// The fields that ``note(_:)`` needs. The last one contains a guest's tenants, with usernames inside strings.
    static let fields = ["home_account_id", "username", "tenantProfiles"]

    private struct Found {
        var section: Int
        var offset: Int
        var count: Int
        /// Hash of the home account ID; nil for entries without an owner, which are all needed.
        var hash: Int?
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
        var found = Found(section: entry.sectionNumber, offset: entry.offset, count: entry.bytes.count)
        switch section {
        case .appMetadata, .accountMetadata, .legacy, nil: break
        case .accessToken, .refreshToken, .idToken, .account:
            guard let identity = entry.text(0) else { return false }
            found.hash = Self.hash(identity)
            guard section == .account else { break }
            guard let username = entry.text(1), !entry.has(2) else { return false }
            if Account.matches(by: text, label: username, homeAccountID: identity),
                !meant.contains(where: { $0.elementsEqual(identity) })
            {
                meant.append(Array(identity))
            }
        }
        entries.append(found)
        return true
    }

    /// The selected entries as a store of their own; nil if a read failed.
    func text(_ read: (_ offset: Int, _ count: Int) -> [UInt8]?) -> [UInt8]? {
        let hashes = meant.map { $0.withUnsafeBytes { Self.hash($0) } }
        var text: [UInt8] = [UInt8(ascii: "{")]
        var last: Int?
        for entry in entries {
            if let hash = entry.hash, !hashes.contains(hash) { continue }
            guard let bytes = read(entry.offset, entry.count) else { return nil }
            if last == entry.section {
                text.append(UInt8(ascii: ","))
            } else {
                text += Array((last == nil ? "\"" : "},\"").utf8) + Array(sections[entry.section].name.utf8)
                text += Array("\":{".utf8)
                last = entry.section
            }
            text += bytes
        }
        text += Array((last == nil ? "}" : "}}").utf8)
        return text
    }

    /// On a collision both IDs are selected; readers of the selection compare the actual IDs.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
