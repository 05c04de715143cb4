// TokenCache stores credentials: the unified schema and its files. It does not depend on the network or on sign-in.

package import StrictJSON

/// The content of a store at one moment: its bytes and the position of each entry. Entries are decoded on demand.
package struct CacheSnapshot: Sendable {
    /// The size of the file is already checked when it is read.
    static let limits = JSONLimits(maximumBytes: StoreSize.maximumToPrune, maximumDepth: 32)

    let outline: JSONOutline?
    let owners = OwnerIndex()

    /// A store that does not exist yet.
    package static let empty = CacheSnapshot()

    private init() { outline = nil }

    /// The whole content; nil if the store does not exist yet.
    var text: [UInt8]? { outline?.bytes }

    /// - Parameters:
    ///   - strictly: checks every byte, as required before a write. Otherwise an invalid string only affects its own
    ///     entry.
    ///   - screen: results of a scan during the read.
    ///   - path: the path for error messages.
    /// - Throws: `notJSON`, `tooLarge`, `foreign` for a value that is not an object or has none of the sections,
    ///   `damaged` for a known section that is not an object.
    package init(_ bytes: [UInt8], strictly: Bool = false, screen: JSONByteScan? = nil, path: String) throws(StoreError)
    {
        let outline: JSONOutline
        do { outline = try JSONOutline(bytes, limits: Self.limits, strictly: strictly, screen: screen) } catch {
            switch error.problem {
            case .tooLarge: throw StoreError(.tooLarge(bytes: bytes.count), path: path)
            case .notAnObject: throw StoreError(.foreign("its JSON is not an object"), path: path)
            case .tooDeep, .notUTF8, .byteOrderMark, .unexpectedByte, .unexpectedEnd, .duplicateName, .badEscape,
                .controlCharacter,
                .badNumber,
                .trailingBytes:
                throw StoreError(.notJSON(offset: error.offset, what: error.problem.rawValue), path: path)
            }
        }
        for section in Section.allCases {
            guard let node = outline.section(named: section.name), !outline.isObject(node) else { continue }
            throw StoreError(.damaged("its section \(section.rawValue) is not an object"), path: path)
        }
        // An empty object is a new store. One with other members only is another program's file, such as package.json.
        guard outline.sections.isEmpty || Section.allCases.contains(where: { outline.section(named: $0.name) != nil })
        else {
            throw StoreError(.foreign("it has no token cache sections"), path: path)
        }
        self.outline = outline
    }

    /// The entries of a section whose values are objects, in file order.
    func entries(_ section: Section) -> CacheEntries {
        guard let outline, let node = outline.section(named: section.name) else {
            return CacheEntries(outline: nil, range: 0..<0)
        }
        return CacheEntries(outline: outline, range: outline.entries(of: node).indices)
    }

    /// The number of entries with a string that cannot be decoded: half of a surrogate pair, mostly in a name.
    package var undecodableCount: Int {
        Section.allCases.reduce(0) { count, section in
            count + entries(section).reduce(0) { $0 + ($1.isDecodable ? 0 : 1) }
        }
    }
}
