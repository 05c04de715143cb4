package import Identity

/// A permission of a token, explained if known.
package struct TokenPermission: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `scp` or `scope`: delegated by a user.
        case scope
        /// `roles`: roles of the resource, for a user or an application.
        case appRole
        /// `wids`: the user's Entra ID directory roles.
        case directoryRole
    }

    package let kind: Kind
    /// The scope or role as in the token; a known directory role by its name.
    package let name: String
    /// Nil if unknown.
    package let risk: ScopeMeaning.Risk?
    /// Lower case, without a final period; nil if unknown.
    package let sentence: String?

    /// Further permissions are counted, not shown.
    package static let most = 100

    /// The permissions of an opaque token, riskiest first and unknown ones last.
    ///
    /// - Parameter issuer: nothing is guessed about other issuers' scopes.
    package static func all(of scopes: ScopeSet, at issuer: ScopeIssuer) -> [TokenPermission] {
        sorted(
            scopes.names.prefix(most).map { name in
                let meaning = ScopeMeaning.of(name, at: issuer)
                return TokenPermission(kind: .scope, name: name, risk: meaning?.risk, sentence: meaning?.sentence)
            })
    }

    private static func sorted(_ found: [TokenPermission]) -> [TokenPermission] {
        found.enumerated().sorted {
            let (left, right) = ($0.element.risk?.rawValue ?? -1, $1.element.risk?.rawValue ?? -1)
            return left != right ? left > right : $0.offset < $1.offset
        }.map(\.element)
    }

    /// All permissions of a token, riskiest first and unknown ones last.
    static func all(of claims: Claims, scopes: ScopeSet, roles: [String]) -> [TokenPermission] {
        let audiences = claims.strings("aud").prefix(4).map(resource)
        var found = scopes.names.prefix(most).map { scope(String($0), audiences) }
        // Without a scope there is no delegating user, so the roles belong to the application.
        found += roles.prefix(most).map { appRole($0, audiences, isOwn: scopes.isEmpty) }
        found += claims.strings("wids").prefix(most).map(directoryRole)
        return sorted(found)
    }

    /// Replaces audiences that are IDs with the name in their scopes.
    private static func resource(_ audience: String) -> String {
        audience.asciiLowercased == "00000003-0000-0000-c000-000000000000" ? ScopeMeaning.graph : audience
    }

    /// A bare name belongs to the audience. For unknown audiences, Microsoft Graph's meaning is used, as other
    /// resources reuse its names.
    private static func meaning(of name: String, _ audiences: [String]) -> ScopeMeaning? {
        if name.contains("/") { return ScopeMeaning.of(name) }
        for audience in audiences {
            if let meaning = ScopeMeaning.of(audience + "/" + name) { return meaning }
        }
        return ScopeMeaning.of(name)
    }

    /// Whether the name alone indicates write access to all objects of a kind.
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
        // A delegated permission is limited to the user's own data; the application's own covers everyone's.
        let risk = ScopeMeaning.Risk(rawValue: meaning.risk.rawValue + 1) ?? .critical
        return TokenPermission(
            kind: .appRole, name: name, risk: risk, sentence: "for the whole organization: \(meaning.sentence)")
    }

    private static func unknown(_ kind: Kind, _ name: String) -> TokenPermission {
        guard isBroad(name) else { return TokenPermission(kind: kind, name: name, risk: nil, sentence: nil) }
        return TokenPermission(
            kind: kind, name: name, risk: kind == .scope ? .high : .critical,
            sentence: "full write access, judging by the name")
    }

    private static func directoryRole(_ template: String) -> TokenPermission {
        let role = DirectoryRole.of(template)
        return TokenPermission(
            kind: .directoryRole, name: role?.name ?? template, risk: role?.risk, sentence: role?.sentence)
    }
}

extension TokenPermission.Kind {
    package var word: String {
        switch self {
        case .scope: "scope"
        case .appRole: "app role"
        case .directoryRole: "directory role"
        }
    }
}
