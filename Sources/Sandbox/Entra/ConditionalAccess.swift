/// Tenants that want more than a password before they give tokens, and requests that ask for as much: an authentication
/// context (`acrs`) is won on a page of its own, belongs to that sign-in, and a refresh token without it is sent back
/// to the person.
extension ProviderState {
    /// The contexts that a grant needs: the tenant's own, and what the claims parameter calls essential.
    func contextsWanted(_ grant: Grant) -> Set<String> {
        contextsWanted(by: grant.claims, tenant: grant.realm.tenantId(for: grant.user))
    }

    func contextsWanted(by claims: String?, tenant: String?) -> Set<String> {
        var wanted: Set<String> = []
        if let own = tenant.flatMap({ contextsDemanded[$0] }) { wanted.insert(own) }
        if let asked = Grant.wishes(in: claims)?["acrs"]?["value"]?.string { wanted.insert(asked) }
        return wanted
    }

    func checkContexts(_ grant: Grant) throws(OAuthErrorResponse) {
        guard let missing = contextsWanted(grant).subtracting(grant.contexts).min() else { return }
        throw .contextMissing(missing)
    }

    /// The page on which a second proof is given; nil: none is needed, or it was given just now.
    mutating func verificationPage(
        _ id: String, _ transaction: inout Transaction, _ form: Form, user: User, client: Client
    ) -> Answer? {
        let realm = transaction.realm
        guard realm.isEntra else { return nil }
        let wanted = contextsWanted(
            by: transaction.claims ?? deviceClaims(transaction), tenant: realm.tenantId(for: user))
        guard !wanted.isSubset(of: transaction.contexts) else { return nil }
        guard transaction.agreesToAll || form["verify"] == "1" else {
            return Pages.verify(id, client: client, user: user)
        }
        transaction.contexts.formUnion(wanted)
        transactions[id] = transaction
        return nil
    }

    private func deviceClaims(_ transaction: Transaction) -> String? {
        if case .device(let code) = transaction.purpose { devices[code]?.claims } else { nil }
    }

    /// - Parameter context: nil takes the demand back.
    mutating func demand(_ context: String?, tenant name: String) throws(OAuthErrorResponse) {
        guard let tenant = Directory.tenant(name) else { throw .unknownTenant(name) }
        guard context.map({ !$0.isEmpty && $0.utf8.count <= 64 }) ?? true else {
            throw OAuthErrorResponse("invalid_request", "that is no context")
        }
        contextsDemanded[tenant.id] = context
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
    static func verify(_ id: String, client: Client, user: User) -> Answer {
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
