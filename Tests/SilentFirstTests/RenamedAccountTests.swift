import Foundation
import Identity
import SilentFirst
import Testing

@testable import LegacyCaches
@testable import Sandbox
@testable import TokenCache

/// One account over time: renamed, found by several ways, written in another case, deleted and created again.
@Suite struct RenamedAccountTests {
    private static let old = "ada.byron@contoso.example"
    private static let now = "ada@contoso.example"
    private static let wish = TokenRequest(scopes: ["User.Read"])

    @Test func `A refresh with a new name is the account's at once, and the old one finds it until a sign-in`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.setUsername(Self.old)
            try world.advance(4000)
            let before = try #require(try await application.allAccounts().first)
            #expect(before.username == Self.old)
            let token = try await application.acquireTokenSilent(Self.wish.with { $0.account = before })
            #expect(token.source == .refresh && token.account.username == Self.now)
            #expect(token.account.tenantProfiles.map(\.username) == [Self.now] && token.account == before)
            #expect(token.trail.steps.contains { $0.name == .account && $0.detail.contains("is now \(Self.now)") })
            #expect(try await application.allAccounts().map(\.username) == [Self.now])
            #expect(try await application.acquireTokenSilent(Self.wish).account.username == Self.now)
            // Whoever still holds the account of before learns the name as well.
            let cached = try await application.acquireTokenSilent(Self.wish.with { $0.account = before })
            #expect(cached.source == .cache && cached.account.username == Self.now)
            #expect(try world.meant(Self.old).map(\.username) == [Self.now])
            #expect(try world.meant(Self.now).count == 1)
            try await world.signIn(application)
            #expect(try world.meant(Self.old).isEmpty)
            await application.close()
        }
    }

    @Test func `A guest's tenant names its own profile alone`() async throws {
        try await World.open { world in
            let application = try world.application()
            let guest = Self.wish.with { $0.tenant = Directory.fabrikam.id }
            try await world.signIn(application)
            _ = try await application.acquireTokenSilent(guest)
            try world.setUsername(Self.old)
            try world.advance(4000)
            let token = try await application.acquireTokenSilent(guest)
            #expect(token.source == .refresh && token.account.username == Self.old)
            #expect(token.account.tenantProfiles.map(\.username) == [Self.old, Self.now])
            #expect(try await application.allAccounts().first?.tenantProfiles.map(\.username) == [Self.old, Self.now])
            let home = try await application.acquireTokenSilent(Self.wish)
            #expect(home.account.tenantProfiles.map(\.username) == [Self.now, Self.now])
            #expect(try world.meant(Self.old).count == 1)
            await application.close()
        }
    }

    @Test func `A refresh whose ID token has no name changes none`() async throws {
        try await World.open { world in
            let application = try world.application(Directory.labCLI, oidc: true)
            try await world.signIn(application, "hedy@lab.example", scopes: ["openid", "profile"])
            try world.setUsername("hedy.kiesler@lab.example")
            world.provider.bend(Fault(.quirk(.namelessIDToken)))
            try world.advance(4000)
            let token = try await application.acquireTokenSilent(TokenRequest(scopes: ["openid", "profile"]))
            #expect(token.source == .refresh && token.account.username == "hedy.kiesler@lab.example")
            #expect(try await application.allAccounts().map(\.username) == ["hedy.kiesler@lab.example"])
            await application.close()
        }
    }

    @Test func `The first use of a legacy token brings the name of now to an account of other clients`() async throws {
        try await World.open { world in
            try world.seed(Self.old) { $0.clientID = "other" }
            try world.leave(Self.old, from: Self.now) { $0.objectID = World.adaAtContoso }
            let application = try world.application()
            let token = try await application.acquireTokenSilent(Self.wish)
            #expect(token.source == .refresh && token.account.username == Self.now)
            #expect(try world.snapshot().accounts().map(\.username) == [Self.now])
            #expect(try world.meant(Self.old).count == 1 && world.snapshot().legacyEntries.isEmpty)
            await application.close()
        }
    }

    // MARK: One account, however it is found

    @Test func `An account is equal to itself, however it is found`() async throws {
        try await World.open { world in
            let application = try world.application()
            let token = try await world.signIn(application)
            let identifier = try #require(token.account.identifier)
            let found = try #require(try await application.account(forIdentifier: identifier))
            let listed = try #require(try await application.allAccounts().first)
            let current = try #require(try await application.currentAccount())
            let silent = try await application.acquireTokenSilent(Self.wish).account
            let all = [token.account, found, listed, current, silent]
            #expect(all.allSatisfy { $0 == token.account } && Set(all).count == 1)
            #expect(found.claims.value != nil && listed.claims.value == nil)
            let grace = try await world.signIn(application, "grace@fabrikam.example").account
            #expect(!all.contains(grace) && Set(all + [grace]).count == 2)
            await application.close()
        }
    }

    @Test func `An account entry in another case keeps its sign-in`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.changeAccounts { $0["home_account_id"] = World.ada.uppercased() }
            try world.advance(4000)
            let account = try #require(try await application.allAccounts().first)
            #expect(account.homeAccountID == World.ada.uppercased())
            for wish in [Self.wish, Self.wish.with { $0.account = account }] {
                let token = try await application.acquireTokenSilent(wish)
                #expect(token.account == account && token.account.username == Self.now)
            }
            #expect(world.refreshes == 1)
            #expect(try await application.account(forIdentifier: World.ada) == account)
            #expect(try await application.allAccounts().count == 1)
            await application.close()
        }
    }

    // MARK: Deleted and created again

    enum Former: CaseIterable { case deleted, unreachable, renamed, ofAnotherTenant }

    @Test(arguments: Former.allCases)
    func `A sign-in replaces the account that was deleted and had its name, and no other`(former: Former) async throws {
        try await World.open { world in
            let application = try world.application()
            let tenant = former == .ofAnotherTenant ? Directory.fabrikam : Directory.contoso
            var home = "00000000-1111-2222-3333-444444444444." + tenant.id
            if former == .renamed {
                // Another person, whose name the store does not know yet.
                home = try await world.signIn(application, "taro@contoso.example").account.homeAccountID
                try world.setUsername("Ada@contoso.example")
            } else {
                try world.put(
                    "Ada@contoso.example", home: home, realm: tenant.id, accessToken: "old",
                    refreshToken: Secret("dead"))
            }
            try world.seed { record in
                (record.clientID, record.homeAccountID, record.accessToken) = ("other", home, Secret("others"))
                (record.localAccountID, record.username) = (String(home.prefix(36)), "Ada@contoso.example")
            }
            if former == .unreachable {
                world.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token"))
            }
            let token = try await world.signIn(application)
            #expect(token.account.homeAccountID == World.ada)
            let known = try await application.allAccounts()
            #expect(known.count == (former == .deleted ? 1 : 2) && known.contains(token.account))
            #expect(try world.snapshot().credentials(clientID: "other").map(\.secret) == [Secret("others")])
            if former == .renamed {
                #expect(known.map(\.username).sorted() == [Self.now, "taro@contoso.example"])
                #expect(try world.meant(Self.now).map(\.homeAccountID) == [World.ada])
            }
            await application.close()
        }
    }
}

extension World {
    /// Changes the account entries of the store's file, as another program might have left them.
    func changeAccounts(_ body: (inout [String: Any]) -> Void) throws {
        let file = URL(fileURLWithPath: store)
        var content = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: [String: Any]]])
        for key in content["Account", default: [:]].keys {
            var entry = try #require(content["Account"]?[key])
            body(&entry)
            content["Account"]?[key] = entry
        }
        try JSONSerialization.data(withJSONObject: content).write(to: file)
    }

    func setUsername(_ username: String) throws { try changeAccounts { $0["username"] = username } }

    /// The accounts that `--account` means.
    func meant(_ text: String) throws -> [Account] { try snapshot().accounts(clientID: nil).meant(by: text) }
}
