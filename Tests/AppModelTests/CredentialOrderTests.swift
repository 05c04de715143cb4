import FoundationEssentials
import Identity
import Testing

@testable import AppModel

@Suite struct CredentialOrderTests {
    private static let home = "c0000000-0000-4000-8000-00000000c001"

    private func token(_ kind: CachedCredential.Kind, _ realm: String) -> CachedCredential {
        CachedCredential(
            id: "\(kind.rawValue) \(realm)", kind: kind, clientID: Sample.client, homeAccountID: "ada.\(Self.home)",
            environment: "idp.example", realm: realm, secret: Secret("s"))
    }

    @Test func `Tokens are in one order, home tenant first, whatever the order of the store`() {
        let ordered = [
            token(.accessToken, Self.home), token(.accessToken, "a-guest"), token(.accessToken, "z-guest"),
            token(.refreshToken, ""), token(.idToken, Self.home), token(.idToken, "a-guest"),
        ]
        var account = Account(
            homeAccountID: "ada.\(Self.home)", environment: "idp.example", username: "ada", clients: [Sample.client])
        account.tenantProfiles = [
            TenantProfile(tenantID: Self.home, localAccountID: "ada", username: "ada@example.org", isHome: true)
        ]
        for turn in 0..<ordered.count {
            let stored = Array(ordered[turn...] + ordered[..<turn])
            let overview = AccountOverview(
                account: account, credentials: turn.isMultiple(of: 2) ? stored : stored.reversed())
            #expect(TokenInspector.credentials(overview).map(\.id) == ordered.map(\.id))
        }
    }
}
