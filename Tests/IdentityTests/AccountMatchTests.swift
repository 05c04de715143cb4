import Identity
import Testing

@Suite struct AccountMatchTests {
    private static let tenant = "11111111-2222-3333-4444-555555555555"

    private static func account(_ object: String, _ name: String, guest: String? = nil) -> Account {
        func profile(_ tenant: String, _ object: String, _ username: String) -> TenantProfile {
            TenantProfile(
                tenantID: tenant, localAccountID: object, username: username, name: nil, isHome: tenant == Self.tenant)
        }
        return Account(
            homeAccountID: "\(object).\(tenant)", environment: "login.microsoftonline.com", username: name, name: nil,
            tenantProfiles: [profile(tenant, object, name)]
                + (guest.map { [profile("other", "g" + object, $0)] } ?? []),
            clients: [])
    }

    @Test func `A guest is found by the name of another tenant, and two of that name are ambiguous`() {
        let name = "alice_contoso.com#EXT#@fabrikam.com"
        let alice = Self.account("a", "alice@contoso.com", guest: name)
        let bob = Self.account("b", "bob@contoso.com")
        #expect([alice, bob].meant(by: name.uppercased()) == [alice])
        #expect([alice, Self.account("c", name)].meant(by: name).count == 2)
        // In full alone: the beginning of a name is that of the one that is shown.
        #expect([alice, bob].meant(by: "alice_") == [])
    }

    @Test(arguments: ["adal:alice@contoso.com", "adal:alice@contoso.com~a"])
    func `What stood for an identifier before the first silent call still finds the account after it`(name: String) {
        let alice = Self.account("a", "Alice@contoso.com")
        #expect([alice, Self.account("b", "bob@contoso.com")].meant(by: name) == [alice])
        #expect([alice].meant(by: "adal:alice@contoso.com~z") == [])
        #expect(alice.matches(by: name))
    }
}
