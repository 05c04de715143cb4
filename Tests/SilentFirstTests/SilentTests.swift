import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

@Suite struct SilentTests {
    private static let request = TokenRequest(scopes: ["User.Read"])

    @Test func `A valid cached token needs no request at all, not even discovery`() async throws {
        try await World.open { world in
            let first = try await world.signIn(world.application())
            world.provider.reset()
            let token = try await world.application().acquireTokenSilent(Self.request)
            #expect(token.accessToken == first.accessToken)
            #expect(token.source == .cache)
            #expect(
                world.provider.requests("discovery") == 0 && world.provider.requests("token") == 0
                    && world.provider.requests("keys") == 0)
            #expect(token.trail.steps.map(\.name) == [.account, .accessToken])
        }
    }

    @Test func `Scopes are found as a subset and in any case, and not beyond what was granted`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
            #expect(try await application.acquireTokenSilent(TokenRequest(scopes: ["mail.read"])).source == .cache)
            #expect(
                try await application.acquireTokenSilent(TokenRequest(scopes: ["openid", "User.Read"])).source == .cache
            )
            let beyond = await failure { () throws(Failure) in
                try await application.acquireTokenSilent(TokenRequest(scopes: ["Files.Read"]))
            }
            #expect(beyond?.code == .interactionRequired)
            #expect(beyond?.serverCodes.contains(65001) == true)
            await application.close()
        }
    }

    @Test(arguments: [(3299, AcquiredToken.Source.cache), (3301, .refresh)])
    func `Five minutes before its end a token is no longer handed out`(age: Int, source: AcquiredToken.Source)
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(age)
            #expect(try await application.acquireTokenSilent(Self.request).source == source)
            await application.close()
        }
    }

    @Test func `A refresh is stored before it is handed out, and the next call finds it`() async throws {
        try await World.open { world in
            let application = try world.application()
            let first = try await world.signIn(application)
            try world.advance(4000)
            let second = try await application.acquireTokenSilent(Self.request)
            #expect(second.source == .refresh && second.accessToken != first.accessToken)
            #expect(second.trail.steps.map(\.name).suffix(3) == [.refreshToken, .idToken, .save])
            let stored = try world.snapshot().credentials().first { $0.kind == .accessToken }
            #expect(stored?.secret == second.accessToken)
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
            #expect(world.provider.requests("token:refresh_token") == 1)
            await application.close()
        }
    }

    @Test func `Twenty callers at once share one refresh`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<20 { group.addTask { try await application.acquireTokenSilent(Self.request).accessToken } }
                return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(world.provider.requests("token:refresh_token") == 1)
            await application.close()
        }
    }

    @Test func `Applications that know nothing of each other share one refresh through the store`() async throws {
        try await World.open { world in
            try await world.signIn(world.application())
            try world.advance(4000)
            let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let application = try world.application()
                        let token = try await application.acquireTokenSilent(Self.request).accessToken
                        await application.close()
                        return token
                    }
                }
                return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(world.provider.requests("token:refresh_token") == 1)
        }
    }

    @Test func `Many tenants stand for the home tenant, a guest tenant for itself`() async throws {
        try await World.open { world in
            let home = try world.application()
            let first = try await world.signIn(home)
            let guest = try world.application(tenant: "f0000000-0000-4000-8000-00000000f001")
            let second = try await world.signIn(guest)
            #expect(first.tenantID != second.tenantID)
            #expect(first.account.homeAccountID == second.account.homeAccountID)
            let accounts = try await home.allAccounts()
            #expect(accounts.count == 1)
            #expect(accounts.first?.tenantProfiles.count == 2)
            #expect(accounts.first?.tenantProfiles.first?.isHome == true)
            #expect(try await home.acquireTokenSilent(Self.request).accessToken == first.accessToken)
            #expect(try await guest.acquireTokenSilent(Self.request).accessToken == second.accessToken)
            var asked = Self.request
            asked.tenant = first.tenantID
            #expect(try await guest.acquireTokenSilent(asked).accessToken == first.accessToken)
        }
    }

    @Test func `A family member's refresh token serves another member, and is left as it is`() async throws {
        try await World.open { world in
            try await world.signIn(world.application(Directory.azureCLI))
            let before = try world.snapshot().credentials(clientID: Directory.azureCLI).filter {
                $0.kind == .refreshToken
            }.map(\.secret)
            let shell = try world.application(Directory.azurePowerShell)
            let token = try await shell.acquireTokenSilent(Self.request)
            #expect(token.source == .refresh && token.clientID == Directory.azurePowerShell)
            #expect(token.trail.steps.contains { $0.name == .familyRefreshToken && $0.outcome == .done })
            #expect(
                try world.snapshot().credentials(clientID: Directory.azureCLI).filter { $0.kind == .refreshToken }.map(
                    \.secret) == before)
            await shell.close()
        }
    }

    @Test func `A refused refresh asks for sign-in, says why, and keeps the account`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            world.provider.bend(
                Fault(
                    .error(
                        "invalid_grant", suberror: "basic_action", codes: [50076],
                        claims: #"{"access_token":{"x":null}}"#,
                        description: "MFA", status: 400),
                    endpoint: "token:refresh_token"))
            var request = Self.request
            request.forceRefresh = true
            let wish = request
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(wish) }
            #expect(refused?.code == .interactionRequired)
            #expect(
                refused?.oauthError == "invalid_grant" && refused?.suberror == "basic_action"
                    && refused?.serverCodes == [50076])
            #expect(refused?.claims == #"{"access_token":{"x":null}}"#)
            #expect(refused?.correlationID != nil)
            #expect(try await application.allAccounts().count == 1)
            #expect(try world.snapshot().credentials().contains { $0.kind == .refreshToken })
            await application.close()
        }
    }

    @Test func `A refresh token that is dead for good is dropped, and it alone`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            world.provider.bend(
                Fault(
                    .error(
                        "invalid_grant", suberror: "bad_token", codes: [], claims: nil, description: nil, status: 400),
                    endpoint: "token:refresh_token"))
            try world.advance(4000)
            let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(refused?.code == .interactionRequired && refused?.suberror == "bad_token")
            #expect(try !world.snapshot().credentials().contains { $0.kind == .refreshToken })
            #expect(try await application.allAccounts().count == 1)
            await application.close()
        }
    }

    @Test(arguments: [
        (Fault.Kind.status(500, retryAfter: nil), Failure.Code.unavailable),
        (.status(429, retryAfter: 30), .unavailable),
        (.cutOff, .unavailable),
        (.html, .untrustedResponse), (.redirect(to: "https://elsewhere.invalid/"), .untrustedResponse),
        (.idToken(.badSignature), .untrustedResponse), (.idToken(.algNone), .untrustedResponse),
        (.idToken(.wrongAudience), .untrustedResponse),
    ])
    func `What a sign-in does not mend asks nobody, and costs nothing of the store`(
        kind: Fault.Kind, code: Failure.Code
    ) async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            // A response that fails a check leaves only its new refresh token.
            let before = try world.tokensOfUse()
            world.provider.bend(Fault(kind, endpoint: "token:refresh_token"))
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == code)
            #expect(person.count == 0)
            #expect(try world.tokensOfUse() == before && world.refreshTokens().count == 1)
            await application.close()
        }
    }

    @Test func `A token that is due for renewal still serves when the provider is down`() async throws {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            let application = try world.application()
            let first = try await world.signIn(application)
            world.provider.clearFaults()
            try world.advance(120)
            world.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token"))
            let kept = try await application.acquireTokenSilent(Self.request)
            #expect(kept.accessToken == first.accessToken && kept.source == .cache)
            world.provider.clearFaults()
            // Who is down is left alone for a minute.
            #expect(try await application.acquireTokenSilent(Self.request).source == .cache)
            try world.advance(61)
            #expect(try await application.acquireTokenSilent(Self.request).source == .refresh)
            await application.close()
        }
    }

    @Test func `Several accounts are told apart by name only, in any case`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try await world.signIn(application, "grace@fabrikam.example")
            let unnamed = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.request) }
            #expect(unnamed?.code == .ambiguous)
            let ada = try await application.account(forUsername: "ADA@contoso.example")
            #expect(ada?.username == "ada@contoso.example")
            #expect(try await application.account(forUsername: "ada") == nil)
            #expect(try await application.account(forIdentifier: ada?.homeAccountID ?? "") == ada)
            var request = Self.request
            request.account = ada
            #expect(try await application.acquireTokenSilent(request).account.username == "ada@contoso.example")
        }
    }

    @Test func `Removal is this client's alone, and silent then needs the person even with the family's token there`()
        async throws
    {
        try await World.open { world in
            let cli = try world.application(Directory.azureCLI)
            try await world.signIn(cli)
            let shell = try world.application(Directory.azurePowerShell)
            let account = try await shell.acquireTokenSilent(Self.request).account
            world.provider.reset()
            #expect(try await shell.remove(account) > 0)
            #expect(world.provider.requests("token") == 0)
            var request = Self.request
            request.account = account
            let wish = request
            #expect(
                await failure { () throws(Failure) in try await shell.acquireTokenSilent(wish) }?.code
                    == .interactionRequired)
            #expect(try await shell.allAccounts().isEmpty)
            #expect(try await cli.acquireTokenSilent(Self.request).source == .cache)
            await shell.close()
        }
    }

    @Test func `An account of one issuer is not taken to another on the same host`() async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(lab, "hedy@lab.example", scopes: ["openid", "profile"]).account
            let entra = try world.application(Directory.labCLI, tenant: "organizations")
            world.provider.reset()
            var request = TokenRequest(scopes: ["profile", "Mail.Read"])
            request.account = account
            let other = PublicClientApplication.Configuration(
                clientID: Directory.labCLI, authority: try Authority(world.provider.baseURL + "/other", kind: .oidc),
                store: world.store, network: .patient)
            let wish = request
            #expect(
                await failure { () throws(Failure) in try await PublicClientApplication(other).acquireTokenSilent(wish)
                }?.code
                    == .interactionRequired)
            #expect(world.provider.requests("token") == 0)
            await entra.close()
        }
    }
}
