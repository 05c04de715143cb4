// TokenCache is where credentials rest: the unified schema, and the file it is kept in.
// It must not know the network, nor how a token was won.

package import StrictJSON

/// What a store held at one moment: its bytes, and where its entries stand in them. Only entries that an answer needs
/// are decoded.
package struct CacheSnapshot: Sendable {
    /// Largest store that is read.
    /// The file's size was judged when it was read.
    static let limits = JSONLimits(maximumBytes: StoreSize.maximumToPrune, maximumDepth: 32)

    let outline: JSONOutline?

    /// A store that is not there yet.
    package static let empty = CacheSnapshot()

    private init() { outline = nil }

    /// The whole text; nil for a store that is not there yet.
    var text: [UInt8]? { outline?.bytes }

    /// - Parameters:
    ///   - bytes: the whole text of a store.
    ///   - strictly: checks every byte, as before a write; a text that cannot be decoded makes its own entry unusable,
    ///     and no more.
    ///   - screen: what was seen of the bytes while they were read.
    ///   - path: for the words of an error.
    /// - Throws: `notJSON`, `tooLarge`, `foreign` when the value is no object or has none of the sections, `damaged`
    ///   when a known section is no object.
    package init(_ bytes: [UInt8], strictly: Bool = false, screen: JSONPrecheck? = nil, path: String) throws(StoreError)
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
        // An empty object is a new store; one with members of which none is a cache's belongs to somebody else (a
        // package.json, say).
        guard outline.sections.isEmpty || Section.allCases.contains(where: { outline.section(named: $0.name) != nil })
        else {
            throw StoreError(.foreign("it has none of a cache's sections"), path: path)
        }
        self.outline = outline
    }

    /// The entries of a section whose values are objects, in the order of the file.
    func entries(_ section: Section) -> CacheEntries {
        guard let outline, let node = outline.section(named: section.name) else {
            return CacheEntries(outline: nil, range: 0..<0)
        }
        return CacheEntries(outline: outline, range: outline.entries(of: node).indices)
    }

    /// How many entries have a text in them that cannot be decoded: half of a surrogate pair, mostly in a name.
    package var undecodableCount: Int {
        Section.allCases.reduce(0) { count, section in
            count + entries(section).reduce(0) { $0 + ($1.isDecodable ? 0 : 1) }
        }
    }
}
