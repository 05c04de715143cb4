import CommandSupport
import Identity

/// Short identifiers of cached tokens, such as `c41e-a107`: four digits for the client and the account, a letter for
/// the kind (`a`ccess, `r`efresh, `i`D) and digits for the token. They depend only on the entry's key, so a token has
/// the same one in every call; if two tokens would have the same, both get more digits.
struct TokenIDs {
    /// Identifiers of tokens that are listed together, by kind and the key's hash.
    private let shown: [Key: String]

    private struct Key: Hashable {
        let kind: CachedCredential.Kind
        let hash: UInt64

        init(_ token: CachedCredential) { (kind, hash) = (token.kind, StableHash.adding(token.id)) }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    private static let usualLength = 9

    init(_ tokens: [CachedCredential]) { self.init { tokens.forEach($0) } }

    /// - Parameter visit: passes each token to its argument.
    init(_ visit: ((CachedCredential) -> Void) -> Void) {
        var whole: [Key: String] = [:]
        visit { token in
            let key = Key(token)
            if whole[key] == nil { whole[key] = Self.whole(token) }
        }
        // Neighbors in this order have the most characters in common. Two keys with equal full identifiers stay
        // ambiguous, and are listed as such.
        let sorted = whole.sorted { $0.value < $1.value }
        var before = 0
        for (place, token) in sorted.enumerated() {
            let after =
                place + 1 < sorted.count
                ? zip(token.value.utf8, sorted[place + 1].value.utf8).prefix { $0 == $1 }.count : 0
            let length = max(Self.usualLength, max(before, after) + 1)
            whole[token.key] = String(Substring(token.value.utf8.prefix(length)))
            before = after
        }
        shown = whole
    }

    subscript(_ token: CachedCredential) -> String { shown[Key(token)] ?? "" }

    /// Whether a text can only be the beginning of such an identifier, not a token.
    static func isBeginning(_ text: String) -> Bool {
        let parts = text.lowercased().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let group = parts.first, (1...4).contains(group.count), group.allSatisfy(isDigit) else { return false }
        guard parts.count > 1 else { return true }
        guard group.count == 4, let letter = parts[1].first else { return group.count == 4 }
        return CachedCredential.Kind.allCases.contains { $0.letter == String(letter) }
            && parts[1].count <= 1 + digitsOfToken && parts[1].dropFirst().allSatisfy { $0.isASCII && $0.isWholeNumber }
    }

    /// - Returns: nil if it is neither a token's key nor a prefix of a short identifier.
    /// - Throws: `ambiguous`, with the list.
    static func find(_ text: String, among tokens: [CachedCredential]) throws(Failure) -> CachedCredential? {
        if let exact = tokens.first(where: { $0.id == text }) { return exact }
        guard isBeginning(text) else { return nil }
        let beginning = text.lowercased()
        let found = tokens.filter { whole($0).hasPrefix(beginning) }
        guard found.count > 1 else { return found.first }
        let ids = TokenIDs(tokens)
        let list = found.prefix(mostListed).map { token in
            let facts = [token.kind.word, String(token.scopes.description.prefix(60))].filter { !$0.isEmpty }
            return "\(ids[token]) (\(facts.joined(separator: ", ")))"
        }
        throw Failure(
            .ambiguous,
            "\(found.count) tokens match \"\(text)\": " + list.joined(separator: "; ")
                + (found.count > mostListed ? "; and \(found.count - mostListed) more" : ""),
            hint: "use more characters; \"foyer tokens\" lists them")
    }

    private static let mostListed = 12
    private static let digitsOfToken = 12

    private static func isDigit(_ character: Character) -> Bool { character.isHexDigit && character.isASCII }

    private static func whole(_ token: CachedCredential) -> String {
        let parts = [token.clientID, "\n", token.homeAccountID ?? "", "\n", token.environment]
        var (group, rest) = (
            parts.reduce(StableHash.empty) { StableHash.adding($1, to: $0) }, StableHash.adding(token.id)
        )
        var text = Array("0000-".utf8) + token.kind.letter.utf8
        text += Array(repeating: UInt8(ascii: "0"), count: digitsOfToken)
        for place in (0..<4).reversed() {
            text[place] = digits[Int(group % 16)]
            group /= 16
        }
        for place in text.indices.suffix(digitsOfToken).reversed() {
            text[place] = digits[Int(rest % 10)]
            rest /= 10
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

extension CachedCredential.Kind {
    fileprivate var letter: String {
        switch self {
        case .accessToken: "a"
        case .refreshToken: "r"
        case .idToken: "i"
        }
    }
}
