// Scopes/ holds scopes and the results of earlier requests for them. Explain describes scopes.

/// A set of scopes in request order, compared case-insensitively because Entra ID may change the case of granted ones.
///
/// Names are scope tokens of RFC 6749 section 3.3: visible ASCII except quote and backslash. Invalid names are dropped
/// from external input and rejected in user input.
public struct ScopeSet: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The distinct names.
    public private(set) var names: [String]

    /// The scopes that OpenID Connect reserves for the sign-in; never part of a cache's `target`.
    public static let reserved: Set<String> = ["openid", "profile", "offline_access"]

    /// Each element may hold several names, separated by whitespace. Invalid and repeated names are dropped.
    public init(_ names: some Sequence<String>) { self.init(Array(names)) }

    /// Creates a set from an array, which is cheaper than from another sequence.
    public init(_ names: [String] = []) {
        var seen = FoldedNames()
        var kept: [String] = []
        for text in names {
            for word in Self.words(text) where Self.isScope(word) && seen.insert(word) { kept.append(word) }
        }
        self.names = kept
    }

    private init(kept names: [String]) { self.names = names }

    /// Splits by byte if the string is ASCII, about 20 times faster; every credential in a store is read this way.
    private static func words(_ text: String) -> [String] {
        if isScope(text) { return [text] }
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        var (text, words, start) = (text, [String](), 0)
        text.withUTF8 { bytes in
            for end in 0...bytes.count where end == bytes.count || bytes[end] == 0x20 || (9...13).contains(bytes[end]) {
                if end > start { words.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
                start = end + 1
            }
        }
        return words
    }

    /// Parses names separated by spaces, as in a `scope` parameter or a cache's `target`.
    public init(parsing text: String) { self.init([text]) }

    /// Creates a set from a literal; each element may hold several names.
    public init(arrayLiteral elements: String...) { self.init(elements) }

    /// Whether there are no names.
    public var isEmpty: Bool { names.isEmpty }
    /// The names separated by spaces, as in a `scope` parameter.
    public var description: String { names.joined(separator: " ") }

    /// The names without `openid`, `profile` and `offline_access`, which every request adds automatically.
    public var withoutReserved: ScopeSet { ScopeSet(kept: names.filter { !Self.isReserved($0) }) }

    /// The reserved names in the set.
    public var reservedOnly: ScopeSet { ScopeSet(kept: names.filter(Self.isReserved)) }

    /// The names, followed by any missing reserved ones.
    public var withReserved: ScopeSet { ScopeSet(names + ["openid", "profile", "offline_access"]) }

    /// Whether the set contains a name, ignoring case.
    public func contains(_ name: String) -> Bool {
        names.contains { $0.isSameIgnoringCase(as: name) }
    }

    /// Whether the other set contains every name, ignoring case.
    public func isSubset(of other: ScopeSet) -> Bool {
        let held = FoldedNames(other.names)
        return names.allSatisfy(held.contains)
    }

    /// Whether the sets have a name in common, ignoring case.
    public func intersects(_ other: ScopeSet) -> Bool { names.contains(where: other.contains) }

    /// The names that the other set does not contain, in this set's order.
    public func subtracting(_ other: ScopeSet) -> ScopeSet { ScopeSet(kept: names.filter { !other.contains($0) }) }

    /// The names of both sets, this one's first and in its case.
    public func union(_ other: ScopeSet) -> ScopeSet { ScopeSet(names + other.names) }

    /// The names sorted by code point, as MSAL for Python writes `target`.
    public var target: String {
        names.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }.joined(separator: " ")
    }

    /// `resource/.default`: all permissions already granted for the resource.
    ///
    /// A trailing slash of the resource is kept, giving two slashes: the token's audience then has it, too.
    public static func everything(of resource: String) -> ScopeSet { [resource + "/.default"] }

    /// Whether both contain the same names, ignoring order and case.
    public static func == (left: ScopeSet, right: ScopeSet) -> Bool { left.folded == right.folded }

    /// Hashes the case-folded names, consistent with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: Set<String> { Set(names.map(\.asciiLowercased)) }

    private static func isReserved(_ name: String) -> Bool {
        switch name.asciiLowercased {
        case "openid", "profile", "offline_access": true
        default: false
        }
    }

    /// Whether a name is a valid scope token (RFC 6749 section 3.3) of at most 1,024 bytes.
    public static func isScope(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 1024
            && name.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension ScopeSet {
    /// The requested scopes that were not granted. Reserved names and `email` are ignored, as is `/.default` at
    /// Microsoft's providers, where it is not itself a scope; other providers must grant it like any scope.
    ///
    /// - Parameters:
    ///   - granted: the granted scopes.
    ///   - kind: the kind of the provider.
    public func declined(granted: ScopeSet, kind: Authority.Kind = .aad) -> ScopeSet {
        ScopeSet(
            withoutReserved.names.filter { name in
                let folded = name.asciiLowercased
                if folded == "email" { return false }
                if !kind.isStandard, folded.hasSuffix("/.default") || folded == ".default" { return false }
                if granted.contains(name) { return false }
                // Graph returns short names with the resource as a prefix, and vice versa.
                return !granted.names.contains {
                    Self.shortName($0) == Self.shortName(name) && Self.isGraph($0) && Self.isGraph(name)
                }
            })
    }

    /// The names grouped by resource (up to the last slash; empty for the provider's and Graph's short names), in
    /// order.
    ///
    /// `https://management.azure.com//.default` belongs to `https://management.azure.com/`, including the slash.
    public var byResource: [(resource: String, scopes: ScopeSet)] {
        var groups: [(resource: String, scopes: ScopeSet)] = []
        for name in names {
            let resource = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
            if let place = groups.firstIndex(where: { $0.resource.asciiLowercased == resource.asciiLowercased }) {
                groups[place].scopes.names.append(name)
            } else {
                groups.append((resource, ScopeSet(kept: [name])))
            }
        }
        return groups
    }

    private static func isGraph(_ name: String) -> Bool {
        !name.contains("/") || name.asciiLowercased.hasPrefix("https://graph.microsoft.com/")
    }

    private static func shortName(_ name: String) -> String {
        name.asciiLowercased.split(separator: "/").last.map(String.init) ?? ""
    }
}

/// Names without regard to case. Small sets are searched linearly: a process's first hash table of strings costs more.
private struct FoldedNames {
    private static let few = 16
    private var list: [String] = []
    private var folded: Set<String>?

    init(_ names: [String] = []) {
        if names.count > Self.few { folded = Set(names.map(\.asciiLowercased)) } else { list = names }
    }

    func contains(_ name: String) -> Bool {
        folded?.contains(name.asciiLowercased) ?? list.contains { $0.isSameIgnoringCase(as: name) }
    }

    mutating func insert(_ name: String) -> Bool {
        if folded == nil, list.count == Self.few { folded = Set(list.map(\.asciiLowercased)) }
        if folded != nil { return folded?.insert(name.asciiLowercased).inserted ?? false }
        guard !contains(name) else { return false }
        list.append(name)
        return true
    }
}
