/// Tenants and requests that require an authentication context (`acrs`) in addition to the password. The context is
/// satisfied on a separate page and belongs to that sign-in; a refresh token without it requires a new sign-in.
struct ContextDemands: Sendable {
    private var byTenant: [String: String] = [:]

    /// The contexts that a grant requires: the tenant's, and the essential ones of the claims parameter.
    func wanted(_ grant: Grant) -> Set<String> {
        wanted(by: grant.claims, tenant: grant.issuer.tenantId(for: grant.user))
    }

    func wanted(by claims: String?, tenant: String?) -> Set<String> {
        var wanted: Set<String> = []
        if let own = tenant.flatMap({ byTenant[$0] }) { wanted.insert(own) }
        if let asked = Grant.wishes(in: claims)?["acrs"]?["value"]?.string { wanted.insert(asked) }
        return wanted
    }

    func check(_ grant: Grant) throws(OAuthErrorResponse) {
        guard let missing = wanted(grant).subtracting(grant.contexts).min() else { return }
        throw .contextMissing(missing)
    }

    /// - Parameter context: nil removes the requirement.
    mutating func demand(_ context: String?, tenant name: String) throws(OAuthErrorResponse) {
        guard let tenant = Directory.tenant(name) else { throw .unknownTenant(name) }
        guard context.map({ !$0.isEmpty && $0.utf8.count <= 64 }) ?? true else {
            throw OAuthErrorResponse("invalid_request", "not an authentication context")
        }
        byTenant[tenant.id] = context
    }
}

extension OAuthErrorResponse {
    static func contextMissing(_ context: String) -> OAuthErrorResponse {
        let claims = JSON.members([
            "access_token": .members(["acrs": .members(["essential": true, "value": .string(context)])])
        ])
        return OAuthErrorResponse(
            "invalid_grant",
            """
            Due to a configuration change made by your administrator, you must use multi-factor authentication to \
            access this resource.
            """,
            code: 50076, suberror: "basic_action", claims: claims.text)
    }
}

extension Pages {
    static func verify(_ id: String, client: HostedClient, user: User) -> SandboxResponse {
        page(
            "Verify that it is you",
            """
            <p><b>\(escape(client.name))</b> needs a second proof that this is \(escape(user.username)). In a \
            sandbox, the button is one.</p>
            """
                + form(
                    id,
                    """
                    <p><button name=\"verify\" value=\"1\">Verify</button> <button name=\"cancel\" \
                    value=\"1\">Cancel</button></p>
                    """
                ))
    }
}
