package import Identity

/// The granted scopes of two clients, compared.
package struct ScopeComparison: Equatable, Sendable {
    /// As named for the first client.
    package let both: ScopeSet
    package let onlyFirst: ScopeSet
    package let onlySecond: ScopeSet

    package init(_ first: ScopeSet, _ second: ScopeSet) {
        both = ScopeSet(first.names.filter(second.hasSame))
        onlyFirst = ScopeSet(first.names.filter { !second.hasSame($0) })
        onlySecond = ScopeSet(second.names.filter { !first.hasSame($0) })
    }
}

extension ScopeSet {
    /// Whether the set has the scope, or Graph's other name for it.
    fileprivate func hasSame(_ name: String) -> Bool {
        contains(name)
            || (!name.hasSuffix("/.default") && ScopeSet([name]).declined(granted: self).isEmpty
                && !ScopeSet.reserved.contains(name.asciiLowercased) && name.asciiLowercased != "email")
    }
}
