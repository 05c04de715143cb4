import Identity
import StrictJSON

/// The entries of a large store that are needed to hand out a cached token of an account which a person named: the
/// rules behind ``TokenCache/read(onlyAccountsMeantBy:)``.
///
/// An answer from the selection is the answer from the whole text. Where that is not certain (an entry whose account is
/// not written in plain ASCII, a text of another form), there is no selection.
struct AccountSelection {
    /// As it was named.
    private let text: String
    private var entries: [Found] = []
    private var sections: [(name: String, section: Section?)] = []
    /// The home identities that the text means.
    private var meant: [[UInt8]] = []

    /// The fields that ``note(_:)`` asks for. The last one has a guest's tenants, with their names inside of strings.
    static let fields = ["home_account_id", "username", "tenantProfiles"]

    /// Where an entry stands.
    private struct Found {
        var section: Int
        var offset: Int
        var count: Int
        /// Of the home identity; nil for entries that belong to nobody, which are all needed.
        var hash: Int?
    }

    /// - Parameter text: as ``Identity/AccountChoice`` takes it; nil when only the whole store tells who is meant.
    init?(_ text: String) {
        guard !text.isEmpty, !Account.isUnidentified(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.text = text
    }

    /// Notes an entry.
    ///
    /// - Returns: false when the store has to be read as a whole.
    mutating func note(_ entry: JSONEntryWalk.Entry) -> Bool {
        if sections.count <= entry.sectionNumber {
            // Those without entries are not given.
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
            if Account.isMeant(by: text, label: username, homeAccountID: identity),
                !meant.contains(where: { $0.elementsEqual(identity) })
            {
                meant.append(Array(identity))
            }
        }
        entries.append(found)
        return true
    }

    /// The selected entries as a store of their own.
    ///
    /// - Parameter read: gives the bytes of a part of the text; nil when it cannot.
    /// - Returns: nil when it could not be read.
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

    /// Two identities of one hash are both selected, and told apart by whoever reads the selection.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
