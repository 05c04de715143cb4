import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

@Suite struct LookupTests {
    private static let request = TokenRequest(scopes: ["User.Read"])
    private static let home = "ada00000-0000-4000-8000-000000000001." + Directory.contoso.id
    private static let microsoft = "https://login.microsoftonline.com"

    @Test(arguments: [
        "login.microsoftonline.com/organizations", "sts.windows.net/common",
        "login.microsoft.com/" + Directory.contoso.id,
    ])
    func `A token under one name of a cloud serves the others`(authority: String) async throws {
        try await World.open { world in
            try world.put(
                "ada@contoso.example", home: Self.home, environment: "login.windows.net", realm: Directory.contoso.id,
                accessToken: "kept")
            let application = try world.application(at: "https://" + authority)
            let token = try await application.acquireTokenSilent(Self.request)
            #expect(token.accessToken == Secret("kept") && token.source == .cache)
            #expect(token.tenantID == Directory.contoso.id)
            #expect(token.account.environment == "login.windows.net")
        }
    }

    @Test func `Another cloud gets neither the token nor the refresh token`() async throws {
        try await World.open { world in
            try world.put(
                "ada@contoso.example", home: Self.home, environment: "login.windows.net", realm: Directory.contoso.id,
                accessToken: "kept",
                refreshToken: Secret("never to be sent"))
            let china = try world.application(at: "https://login.partner.microsoftonline.cn/organizations")
            let account = try #require(try world.snapshot().accounts().first)
            for wish in [Self.request, Self.request.with { $0.account = account }] {
                let refused = await failure { () throws(Failure) in try await china.acquireTokenSilent(wish) }
                #expect(refused?.code == .interactionRequired)
            }
        }
    }

    @Test func `Personal accounts are at home under common, and nowhere under organizations`() async throws {
        try await World.open { world in
            let home = "00000000-0000-0000-a1a2-000000000001." + Directory.personal.id
            try world.put(
                "alan@personal.example", home: home, environment: "login.windows.net", realm: Directory.personal.id,
                accessToken: "kept")
            let common = try world.application(at: Self.microsoft + "/common")
            let token = try await common.acquireTokenSilent(Self.request)
            #expect(token.authority.tenant == Directory.personal.id)
            let work = try world.application(at: Self.microsoft + "/organizations")
            let refused = await failure { () throws(Failure) in try await work.acquireTokenSilent(Self.request) }
            #expect(refused?.code == .interactionRequired)
        }
    }

    @Test(arguments: ["common", "organizations"])
    func `A refresh goes to the home tenant, whatever many-tenant name was asked`(
        tenant: String
    ) async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/" + tenant)
                try await world.signIn(application)
                try world.advance(4000)
                let token = try await application.acquireTokenSilent(Self.request)
                #expect(proxy.tokenRequests.map(\.path).suffix(1) == ["/\(Directory.contoso.id)/oauth2/v2.0/token"])
                #expect(token.authority.tenant == Directory.contoso.id && token.tenantID == Directory.contoso.id)
                await application.close()
            }
        }
    }

    @Test func `A guest's tenant gives a token of its own without asking, and the next call finds it`() async throws {
        try await World.open { world in
            let application = try world.application()
            let home = try await world.signIn(application)
            let wish = Self.request.with { $0.tenant = Directory.fabrikam.id }
            let guest = try await application.acquireTokenSilent(wish)
            #expect(guest.source == .refresh && guest.tenantID == Directory.fabrikam.id)
            #expect(guest.account.homeAccountID == home.account.homeAccountID)
            #expect(guest.idTokenClaims.claims.string("oid") == "ada00000-0000-4000-8000-0000000000f1")
            #expect(try await application.acquireTokenSilent(wish).accessToken == guest.accessToken)
            #expect(try await application.acquireTokenSilent(Self.request).accessToken == home.accessToken)
            await application.close()
        }
    }

    @Test func `A token that was cached in the future is not served: the clock went back`() async throws {
        try await World.open { world in
            try world.put(
                "ada@contoso.example", home: Self.home, realm: Directory.contoso.id, accessToken: "kept",
                cachedAt: Date().addingTimeInterval(86400))
            let application = try world.application()
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(refused?.code == .interactionRequired)
            #expect(
                refused?.trail.steps.map { "\($0.name) \($0.outcome)" }.prefix(2) == [
                    "account done", "accessToken failed",
                ])
        }
    }

    @Test func `Nobody signed in, or no token that fits, is the person's matter, and no request`() async throws {
        try await World.open { world in
            let application = try world.application()
            let nobody = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(nobody?.code == .interactionRequired)
            try world.put("ada@contoso.example", home: Self.home, realm: Directory.contoso.id, accessToken: "kept")
            let other = await failure { () throws(Failure) in
                try await application.acquireTokenSilent(TokenRequest(scopes: ["Mail.Read"]))
            }
            #expect(other?.code == .interactionRequired)
            #expect(other?.trail.steps.map(\.name) == [.account, .accessToken, .refreshToken])
            #expect(world.provider.requests("token") == 0 && world.provider.requests("discovery") == 0)
        }
    }

    @Test func `A username that several have is ambiguous, and the identifier tells them apart`() async throws {
        try await World.open { world in
            let other = "ada00000-0000-4000-8000-000000000002." + Directory.fabrikam.id
            try world.put("ada@contoso.example", home: Self.home, realm: Directory.contoso.id, accessToken: "one")
            try world.put("Ada@contoso.example", home: other, realm: Directory.fabrikam.id, accessToken: "two")
            let application = try world.application()
            let several = await failure { () throws(Failure) in
                try await application.account(forUsername: "ada@Contoso.example")
            }
            #expect(several?.code == .ambiguous)
            #expect(several?.hint?.description.contains(other) == true)
            #expect(try await application.account(forIdentifier: other)?.username == "Ada@contoso.example")
            #expect(try await application.account(forIdentifier: other.uppercased())?.homeAccountID == other)
            #expect(try await application.account(forIdentifier: other + "0") == nil)
            for empty in ["", " "] {
                let refused = await failure { () throws(Failure) in try await application.account(forUsername: empty) }
                #expect(refused?.code == .usage)
            }
            #expect(try await application.account(forUsername: "nobody@contoso.example") == nil)
        }
    }
}
