/// A parsed scope parameter: OpenID scopes, and those of at most one resource.
struct Scopes: Sendable, Equatable {
    static let graph = "https://graph.microsoft.com"
    static let openIDNames: Set<String> = ["openid", "profile", "email", "offline_access"]

    /// In request order without duplicates, as the client spelled them.
    var asked: [String]
    /// The resource for the access token; nil with only OpenID scopes, which at Entra ID means Graph.
    var resource: String?

    var isOpenID: Bool { asked.contains("openid") }
    var offline: Bool { asked.contains("offline_access") }
    var resourceScopes: [String] { asked.filter { !Scopes.openIDNames.contains($0) } }

    init(plain text: String) throws(OAuthErrorResponse) {
        asked = []
        for piece in text.split(separator: " ") where !asked.contains(String(piece)) { asked.append(String(piece)) }
        guard asked.allSatisfy(Scopes.isToken), asked.count <= 64 else {
            throw OAuthErrorResponse("invalid_scope", "the scope is malformed")
        }
    }

    init(entra text: String) throws(OAuthErrorResponse) {
        try self.init(plain: text)
        var resources: [String] = []
        var dotDefault = false
        for scope in resourceScopes {
            let (resource, name) = Scopes.split(scope)
            if !resources.contains(resource) { resources.append(resource) }
            if name == ".default" { dotDefault = true }
        }
        guard resources.count < 2 else {
            throw OAuthErrorResponse(
                "invalid_request",
                "Provided value for the input parameter scope is not valid because it contains more than one resource.",
                code: 28000)
        }
        guard !dotDefault || resourceScopes.count == 1 else {
            throw OAuthErrorResponse(
                "invalid_scope",
                """
                The provided value for the input parameter 'scope' is not valid. .default scope can't be combined \
                with resource-specific scopes.
                """,
                code: 70011)
        }
        resource = resources.first
    }

    /// Parsed by the provider's rules.
    init(_ text: String, in issuer: HostedIssuer) throws(OAuthErrorResponse) {
        switch issuer.shape {
        case .entra: try self.init(entra: text)
        case .b2c: try self.init(b2c: text)
        case .openID, .adfs: try self.init(plain: text)
        case .oauth(let server):
            try self.init(plain: text)
            asked = try server.accepted(asked)
        }
    }

    /// RFC 6749 section 3.3: %x21 / %x23-5B / %x5D-7E.
    static func isToken(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// `https://vault.azure.net//.default` has the resource `https://vault.azure.net/`: only the last slash separates.
    static func split(_ scope: String) -> (resource: String, name: String) {
        guard let slash = scope.lastIndex(of: "/") else { return (graph, scope) }
        return (String(scope[..<slash]), String(scope[scope.index(after: slash)...]))
    }

    /// The scopes for `.default`: the permissions in the application's registration for the resource.
    static func expansion(of scope: String) -> [String] {
        let (resource, name) = split(scope)
        guard name == ".default" else { return [scope] }
        let prefix = scope == ".default" ? "" : resource + "/"
        return resource == graph ? [prefix + "User.Read", prefix + "Mail.Read"] : [prefix + "user_impersonation"]
    }

    /// The permissions that require consent. `openid` and `offline_access` are implied by signing in.
    func questions(entra: Bool) -> [String] {
        guard entra else { return asked.filter { $0 != "openid" } }
        return resourceScopes.flatMap(Scopes.expansion)
    }

    /// The `scope` of a response, without offline_access, as at Entra ID.
    func granted(from consented: Set<String>, entra: Bool) -> [String] {
        guard entra else { return asked.filter { $0 == "openid" || consented.contains($0) } }
        var out = asked.filter { Scopes.openIDNames.contains($0) && $0 != "offline_access" }
        for scope in resourceScopes {
            let parts = Scopes.expansion(of: scope).filter { consented.contains(Scopes.key($0)) }
            out += parts.filter { !out.contains($0) }
            // Entra ID adds the requested .default after the permissions.
            if !parts.isEmpty, Scopes.split(scope).name == ".default" { out.append(scope) }
        }
        return out
    }

    /// One key per permission: Entra ID's scope names are case-insensitive, and a bare name means Graph.
    static func key(_ scope: String) -> String {
        let (resource, name) = split(scope)
        return (resource + "/" + name).lowercased()
    }
}
