package import Identity

/// More scopes than a place has, which its server demands. Only the person widens what a place gets: by a rule, or by
/// the answer to one question.
package struct ScopeDemand: Hashable, Sendable {
    /// The scopes of the place: its rule's, else those of its first token.
    package let has: ScopeSet
    /// The further scopes that the server demands.
    package let wants: ScopeSet
    /// Demanded scopes of another resource, which the place never gets.
    package let refused: ScopeSet

    /// - Parameters:
    ///   - has: the scopes of the place.
    ///   - demanded: see ``Identity/StepUpChallenge/scopes``.
    ///   - kind: of the provider; scopes name their resource at Microsoft's only.
    /// - Returns: nil if the place has what is demanded.
    init?(has: ScopeSet, demanded: ScopeSet, kind: Authority.Kind) {
        let more = demanded.names.filter { !has.covers([$0]) }
        guard !more.isEmpty else { return nil }
        let resources = Set(has.withoutReserved.byResource.map { Self.resource($0.resource) })
        let isOfPlace = { (name: String) in
            kind.isStandard || resources.isEmpty
                || ScopeSet([name]).byResource.allSatisfy { resources.contains(Self.resource($0.resource)) }
        }
        self.has = has
        wants = ScopeSet(more.filter(isOfPlace))
        refused = ScopeSet(more.filter { !isOfPlace($0) })
    }

    /// Microsoft Graph's scopes are written with and without it.
    private static func resource(_ name: String) -> String {
        let name = name.asciiLowercased
        return name == "https://graph.microsoft.com" ? "" : name
    }
}

extension ScopeSet {
    /// Whether these scopes allow the requested ones, by name or by their resource's `.default`.
    func covers(_ asked: ScopeSet) -> Bool {
        asked.byResource.allSatisfy { resource, scopes in
            scopes.isSubset(of: self) || contains(resource + "/.default")
        }
    }
}
