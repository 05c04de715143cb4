import Testing

@testable import Identity

@Suite struct SignInPartiesTests {
    private static let ada = Account(
        homeAccountID: "u.t", environment: "login.microsoftonline.com", username: "ada@contoso.example")

    /// The authority, the request's tenant and login hint, whether it names ada, and the end of "To sign in …".
    @Test(
        arguments: [
            (
                "https://login.microsoftonline.com/organizations", nil, nil, true,
                "to work as ada@contoso.example at login.microsoftonline.com (any work or school tenant)"
            ),
            (
                "https://login.microsoftonline.com/organizations", "contoso.example", nil, true,
                "to work as ada@contoso.example at login.microsoftonline.com (tenant contoso.example)"
            ),
            (
                "https://login.microsoftonline.com/common", nil, "emmy@lab.example", true,
                "to work as emmy@lab.example at login.microsoftonline.com (any tenant, or a personal account)"
            ),
            (
                "https://login.microsoftonline.com/Consumers", nil, "", false,
                "to work at login.microsoftonline.com (personal Microsoft accounts)"
            ),
            ("https://id.example.org/realms/lab", nil, nil, false, "to work at https://id.example.org/realms/lab"),
            (
                "https://id.example.org/realms/lab", "t", "emmy", false,
                "to work as emmy at https://id.example.org/realms/lab"
            ),
        ] as [(String, String?, String?, Bool, String)])
    func `A sign-in says for whom it is, for which client and where`(
        authority: String, tenant: String?, hint: String?, isAda: Bool, words: String
    ) throws {
        var request = TokenRequest(scopes: [], account: isAda ? Self.ada : nil, tenant: tenant)
        request.loginHint = hint
        let own = try Authority("https://login.microsoftonline.com/organizations")
        request.authority = try Authority(authority)
        #expect(SignInParties(request, client: "work", configured: own).words == words)
        request.authority = nil
        #expect(SignInParties(request, client: "work", configured: try Authority(authority)).words == words)
    }
}
