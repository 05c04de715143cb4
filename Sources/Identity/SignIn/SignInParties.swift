/// The user, client and place of a sign-in. Users should see all three before they enter a device code, as a code that
/// another person sends signs that person in.
package struct SignInParties: Hashable, Sendable {
    /// The name that the user should sign in with; nil leaves it to the user.
    package let person: String?
    /// The client's name.
    package let client: String
    /// The text for the tenant, or for the allowed kinds of accounts; nil at a provider without tenants.
    package let directory: String?
    /// The tenant or alias as it is requested; nil at a provider without tenants.
    package let tenant: String?
    package let authority: Authority

    /// - Parameter configured: the client's authority, if the request has none.
    package init(_ request: TokenRequest, client: String, configured: Authority) {
        self.client = client
        person = request.person
        authority = request.authority ?? configured
        let named = request.tenant ?? authority.tenant
        tenant = authority.kind.isEntra && !named.isEmpty ? named : nil
        directory = tenant.map { Self.accounts(ofAlias: $0) ?? "tenant \($0)" }
    }

    /// The end of "To sign in …", such as `to work as ada@contoso.example at login.microsoftonline.com (tenant
    /// contoso.example)`.
    package var words: String {
        "to \(client)" + (person.map { " as \($0)" } ?? "") + " at \(authority.provider)"
            + (directory.map { " (\($0))" } ?? "")
    }

    /// The accounts of `organizations`, `common` or `consumers`; nil for a tenant.
    package static func accounts(ofAlias tenant: String) -> String? {
        switch tenant.asciiLowercased {
        case "organizations": "any work or school tenant"
        case "common": "any tenant, or a personal account"
        case "consumers": "personal Microsoft accounts"
        default: nil
        }
    }
}

extension TokenRequest {
    /// The name that the user should sign in with: the login hint, else the account's; nil leaves it to the user.
    package var person: String? {
        if let loginHint, !loginHint.isEmpty { return loginHint }
        return account?.label
    }
}
