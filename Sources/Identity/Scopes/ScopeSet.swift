// Scopes/ holds scopes, and what earlier requests for them came to. What a scope means in words is Explain's.

/// A set of scopes in the order they were asked for; compared without regard to case, as Entra ID grants them in a case
/// of its own.
///
/// Scope names are RFC 6749 section 3.3 tokens: visible ASCII without the quote and the backslash. Anything else is
/// dropped when read from outside and refused when written by a person.
public struct ScopeSet: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The names, each once.
    public private(set) var names: [String]

    /// What OpenID Connect reserves for the sign-in itself; never part of a cache's `target`.
    public static let reserved: Set<String> = ["openid", "profile", "offline_access"]

    /// Each element may hold several names, separated by white space. What is no scope is dropped, as are repetitions.
    public init(_ names: some Sequence<String>) { self.init(Array(names)) }

    /// The same of a list, which costs less.
    public init(_ names: [String] = []) {
        var seen = FoldedNames()
        var kept: [String] = []
        for text in names {
            for word in Self.words(text) where Self.isScope(word) && seen.insert(word) { kept.append(word) }
        }
        self.names = kept
    }

    /// Some of a set's names.
    private init(kept names: [String]) { self.names = names }

    /// Byte by byte where it is ASCII: every credential of a store is read so, and letters cost twenty times as much.
    private static func words(_ text: String) -> [String] {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        return text.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.map { String(Substring($0)) }
    }

    /// Reads names separated by spaces, as in a `scope` parameter or a cache's `target`.
    public init(parsing text: String) { self.init([text]) }

    /// As the initializers of a sequence and a list.
    public init(arrayLiteral elements: String...) { self.init(elements) }

    /// Whether there are no names.
    public var isEmpty: Bool { names.isEmpty }
    /// The names separated by spaces, as a `scope` parameter has them.
    public var description: String { names.joined(separator: " ") }

    /// The names without `openid`, `profile` and `offline_access`, which every request adds by itself.
    public var withoutReserved: ScopeSet { ScopeSet(kept: names.filter { !Self.isReserved($0) }) }

    /// The reserved ones among the names.
    public var reservedOnly: ScopeSet { ScopeSet(kept: names.filter(Self.isReserved)) }

    /// The names with the reserved three added at the end where they are missing.
    public var withReserved: ScopeSet { ScopeSet(names + ["openid", "profile", "offline_access"]) }

    /// Whether the name is there, whatever its case.
    public func contains(_ name: String) -> Bool {
        let wanted = name.asciiLowercased
        return names.contains { $0.asciiLowercased == wanted }
    }

    /// Whether every name is also in the other, whatever its case.
    public func isSubset(of other: ScopeSet) -> Bool {
        let held = FoldedNames(other.names)
        return names.allSatisfy(held.contains)
    }

    /// Whether one name at least is in both, whatever its case.
    public func intersects(_ other: ScopeSet) -> Bool { names.contains(where: other.contains) }

    /// The names that the other does not have, in this order.
    public func subtracting(_ other: ScopeSet) -> ScopeSet { ScopeSet(kept: names.filter { !other.contains($0) }) }

    /// The names of both, this one's first and in its case.
    public func union(_ other: ScopeSet) -> ScopeSet { ScopeSet(names + other.names) }

    /// Sorted by code points, as MSAL for Python writes `target`.
    public var target: String {
        names.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }.joined(separator: " ")
    }

    /// `resource/.default`: everything the person has consented to for the resource.
    ///
    /// A resource that ends in a slash keeps it, so that two slashes follow each other: the audience then has the slash
    /// too.
    public static func everything(of resource: String) -> ScopeSet { [resource + "/.default"] }

    /// Equal when they hold the same names, whatever the order and case.
    public static func == (left: ScopeSet, right: ScopeSet) -> Bool { left.folded == right.folded }

    /// Of the folded names, so that equal sets have one hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: Set<String> { Set(names.map(\.asciiLowercased)) }

    private static func isReserved(_ name: String) -> Bool {
        switch name.asciiLowercased {
        case "openid", "profile", "offline_access": true
        default: false
        }
    }

    /// Whether a name is a scope token of RFC 6749 section 3.3, of at most 1,024 bytes.
    public static func isScope(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 1024
            && name.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension ScopeSet {
    /// What of the request was not granted: reserved names and `email` are forgiven, and `/.default` asks for no name
    /// of its own at Microsoft's providers; another provider has to grant it as any other.
    ///
    /// - Parameters:
    ///   - granted: what the provider has granted.
    ///   - kind: of the provider that has answered.
    public func declined(granted: ScopeSet, kind: Authority.Kind = .aad) -> ScopeSet {
        ScopeSet(
            withoutReserved.names.filter { name in
                let folded = name.asciiLowercased
                if folded == "email" { return false }
                if kind != .oidc, folded.hasSuffix("/.default") || folded == ".default" { return false }
                if granted.contains(name) { return false }
                // Graph's short names come back with the resource in front, and the other way round.
                return !granted.names.contains {
                    Self.shortName($0) == Self.shortName(name) && Self.isGraph($0) && Self.isGraph(name)
                }
            })
    }

    /// The names grouped by what they are of, in order: what stands before the last slash, or nothing for the
    /// provider's own and Graph's short names.
    ///
    /// `https://management.azure.com//.default` is of `https://management.azure.com/`: the slash is part of the
    /// resource.
    public var byResource: [(resource: String, scopes: ScopeSet)] {
        var groups: [(resource: String, scopes: ScopeSet)] = []
        for name in names {
            let resource = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
            if let place = groups.firstIndex(where: { $0.resource.asciiLowercased == resource.asciiLowercased }) {
                groups[place].scopes = groups[place].scopes.union([name])
            } else {
                groups.append((resource, [name]))
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

/// Names without their case. While they are few they are looked through one by one: the first hash table of texts that
/// a process makes costs it more than that.
private struct FoldedNames {
    private static let few = 16
    private var list: [String] = []
    private var set: Set<String>?

    init(_ names: [String] = []) {
        for name in names { _ = insert(name) }
    }

    func contains(_ name: String) -> Bool {
        let folded = name.asciiLowercased
        return set?.contains(folded) ?? list.contains(folded)
    }

    /// - Returns: whether it was not there.
    mutating func insert(_ name: String) -> Bool {
        let folded = name.asciiLowercased
        if set == nil, list.count == Self.few { set = Set(list) }
        if set != nil { return set?.insert(folded).inserted ?? false }
        guard !list.contains(folded) else { return false }
        list.append(folded)
        return true
    }
}
