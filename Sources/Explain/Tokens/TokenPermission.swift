import Identity

/// Something that a token lets its bearer do, with its meaning where that is known.
package struct TokenPermission: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `scp` or `scope`: delegated by a person.
        case scope
        /// `roles`: of the resource, for a person or for an application in its own name.
        case appRole
        /// `wids`: the person's roles in Entra ID's directory.
        case directoryRole
    }

    package let kind: Kind
    /// A scope or a role as the token has it; a directory role by its name, where that is known.
    package let name: String
    /// Nil where nothing is known of it.
    package let risk: ScopeMeaning.Risk?
    /// Lower case, no full stop; nil where nothing is known of it.
    package let sentence: String?

    /// More than so many are counted and not told.
    package static let most = 100

    /// Everything that a token says its bearer may do, the riskiest first and what is not known last.
    static func all(of claims: Claims, scopes: ScopeSet, roles: [String]) -> [TokenPermission] {
        let audiences = claims.strings("aud").prefix(4).map(resource)
        var found = scopes.names.prefix(most).map { scope(String($0), audiences) }
        // Without a scope nobody delegated anything: the roles are an application's own.
        found += roles.prefix(most).map { appRole($0, audiences, isOwn: scopes.isEmpty) }
        found += claims.strings("wids").prefix(most).map(directoryRole)
        return found.enumerated().sorted {
            let (left, right) = ($0.element.risk?.rawValue ?? -1, $1.element.risk?.rawValue ?? -1)
            return left != right ? left > right : $0.offset < $1.offset
        }.map(\.element)
    }

    /// Audiences that tokens name by number, as their scopes name them.
    private static func resource(_ audience: String) -> String {
        audience.asciiLowercased == "00000003-0000-0000-c000-000000000000" ? ScopeMeaning.graph : audience
    }

    /// A bare name is the audience's own; where the audience is not known it is explained as Microsoft Graph's, whose
    /// names other resources take over.
    private static func meaning(of name: String, _ audiences: [String]) -> ScopeMeaning? {
        if name.contains("/") { return ScopeMeaning.of(name) }
        for audience in audiences {
            if let meaning = ScopeMeaning.of(audience + "/" + name) { return meaning }
        }
        return ScopeMeaning.of(name)
    }

    /// What a name alone gives away: everything of its kind is written.
    private static func isBroad(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return [".readwrite.all", ".fullcontrol.all", ".manage.all", ".readwrite.directory"].contains {
            name.hasSuffix($0)
        } || name == "full_access_as_app"
    }

    private static func scope(_ name: String, _ audiences: [String]) -> TokenPermission {
        guard let meaning = meaning(of: name, audiences) else { return unknown(.scope, name) }
        return TokenPermission(kind: .scope, name: name, risk: meaning.risk, sentence: meaning.sentence)
    }

    private static func appRole(_ name: String, _ audiences: [String], isOwn: Bool) -> TokenPermission {
        guard isOwn, let meaning = meaning(of: name, audiences) else { return unknown(.appRole, name) }
        // What a person delegates reaches as far as the person; the same as an application's own reaches everybody's.
        let risk = ScopeMeaning.Risk(rawValue: meaning.risk.rawValue + 1) ?? .critical
        return TokenPermission(
            kind: .appRole, name: name, risk: risk, sentence: "for the whole organization: \(meaning.sentence)")
    }

    private static func unknown(_ kind: Kind, _ name: String) -> TokenPermission {
        guard isBroad(name) else { return TokenPermission(kind: kind, name: name, risk: nil, sentence: nil) }
        return TokenPermission(
            kind: kind, name: name, risk: kind == .scope ? .high : .critical,
            sentence: "by its name, changes everything of its kind")
    }

    private static func directoryRole(_ template: String) -> TokenPermission {
        let role = DirectoryRole.of(template)
        return TokenPermission(
            kind: .directoryRole, name: role?.name ?? template, risk: role?.risk, sentence: role?.sentence)
    }
}

extension TokenPermission.Kind {
    /// One of them, for a person.
    package var word: String {
        switch self {
        case .scope: "scope"
        case .appRole: "app role"
        case .directoryRole: "directory role"
        }
    }
}
