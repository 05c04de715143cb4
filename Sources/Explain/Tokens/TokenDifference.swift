package import Identity
package import StrictJSON

package struct TokenDifference: Hashable, Sendable {
    package struct Change: Hashable, Sendable {
        package let name: String
        /// Nil if only the second token has the claim.
        package let old: JSONValue?
        /// Nil if only the first token has it.
        package let new: JSONValue?
        package let meaning: String?

        package var kind: Kind { old == nil ? .added : new == nil ? .removed : .changed }
    }

    package enum Kind: String, Hashable, Sendable, CaseIterable { case added, removed, changed }

    package let header: [Change]
    package let claims: [Change]
    package let same: Int
    package let scopesAdded: ScopeSet
    package let scopesRemoved: ScopeSet

    package var isEmpty: Bool { header.isEmpty && claims.isEmpty }

    package init(from old: DecodedJWT, to new: DecodedJWT) {
        header = Self.changes(old.header, new.header)
        claims = Self.changes(old.payload, new.payload)
        same = new.payload.members.count { old.payload[$0.name] == $0.value }
        let (before, after) = (DecodedToken(old).scopes, DecodedToken(new).scopes)
        scopesAdded = after.subtracting(before)
        scopesRemoved = before.subtracting(after)
    }

    /// In the order of the new token, then claims that only the old one has.
    private static func changes(_ old: Claims, _ new: Claims) -> [Change] {
        let before = Dictionary(old.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let after = Set(new.members.map(\.name))
        let found = new.members.filter { before[$0.name] != $0.value }.map {
            ($0.name, before[$0.name], Optional($0.value))
        }
        let gone = old.members.filter { !after.contains($0.name) }.map {
            ($0.name, Optional($0.value), JSONValue?.none)
        }
        return (found + gone).map { Change(name: $0.0, old: $0.1, new: $0.2, meaning: ClaimMeanings.of($0.0)) }
    }
}

extension TokenDifference.Change {
    package static func words(_ value: JSONValue?) -> String { value.map { $0.string ?? $0.serialized() } ?? "" }
}
