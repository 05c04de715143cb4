import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import LegacyCaches
@testable import Sandbox

/// What an ADAL cache left, on its way through the first silent call.
@Suite struct LegacyUpgradeTests {
    private static let ada = "ada@contoso.example"
    private static let wish = TokenRequest(scopes: ["User.Read"])

    @Test func `The first silent call redeems a legacy refresh token, keeps the unified form and drops what waited`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            let account = try #require(try await application.account(forUsername: "ADA@contoso.example"))
            #expect(account.origin == .adal && account.identifier == nil)
            let token = try await application.acquireTokenSilent(Self.wish.with { $0.account = account })
            #expect(
                token.source == .refresh && token.account.homeAccountID == World.ada && token.account.origin == .msal)
            #expect(
                token.trail.steps.contains {
                    $0.name == .legacyRefreshToken && $0.outcome == .done && $0.detail == "upgraded from an ADAL cache"
                })
            let snapshot = try world.snapshot()
            #expect(snapshot.legacyEntries.isEmpty)
            #expect(Set(snapshot.credentials().map(\.kind)) == [.accessToken, .refreshToken, .idToken])
            // Whoever still holds the old account value gets the cached token of the new one.
            let again = try await application.acquireTokenSilent(Self.wish.with { $0.account = account })
            #expect(again.source == .cache && world.provider.requests("token:refresh_token") == 1)
            #expect(try await application.allAccounts().map(\.origin) == [.msal])
            await application.close()
        }
    }

    @Test func `With nobody named, one legacy person answers and two are never chosen between`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            #expect(try await application.acquireTokenSilent(Self.wish).account.username == Self.ada)
            await application.close()
        }
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            try world.leave("taro@contoso.example")
            let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish) }
            #expect(refusal?.code == .ambiguous && world.provider.requests("token:refresh_token") == 0)
            await application.close()
        }
    }

    @Test func `Several people behind one name are ambiguous by name, and each answers by identifier`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada) { $0.objectID = World.adaAtContoso }
            try world.leave(Self.ada, from: "taro@contoso.example") {
                $0.objectID = "7a700000-0000-4000-8000-000000000001"
            }
            let refusal = await failure { () throws(Failure) in try await application.account(forUsername: Self.ada) }
            #expect(refusal?.code == .ambiguous)
            let ada = try #require(
                try await application.allAccounts().first { $0.localAccountID == World.adaAtContoso })
            let token = try await application.acquireTokenSilent(Self.wish.with { $0.account = ada })
            #expect(token.account.homeAccountID == World.ada)
            #expect(try world.snapshot().legacyEntries.count == 1)
            await application.close()
        }
    }

    @Test func `A dead legacy token is forgotten under every entry that shares it, and the second call asks nobody`()
        async throws
    {
        try await World.open { world in
            let application = try world.application()
            let secret = try world.leave(Self.ada) { $0.resource = "https://graph.windows.net" }
            try world.leave(Self.ada, token: secret) { $0.resource = "https://vault.azure.net" }
            world.provider.revoke(username: Self.ada)
            for _ in 1...2 {
                let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish)
                }
                #expect(refusal?.code == .interactionRequired)
            }
            #expect(world.provider.requests("token:refresh_token") == 1)
            #expect(try world.snapshot().legacyEntries.isEmpty)
            await application.close()
        }
    }

    @Test(arguments: ["consent_required", "basic_action", "additional_action", "message_only"])
    func `A condition that a person can meet leaves the legacy token where it is`(suberror: String) async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            world.refuse("invalid_grant", suberror)
            let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish) }
            #expect(refusal?.suberror == suberror)
            #expect(try world.snapshot().legacyEntries.count == 1)
            await application.close()
        }
    }

    @Test func `While the provider is away the legacy token waits on`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            world.bend(.status(503, retryAfter: nil))
            let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish) }
            #expect(refusal?.code == .unavailable)
            #expect(try world.snapshot().legacyEntries.count == 1)
            await application.close()
        }
    }

    @Test(arguments: [true, false])
    func `A token of another person than the file says is refused and nothing is stored`(saysHome: Bool) async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada, from: "taro@contoso.example") { if saysHome { $0.homeAccountID = World.ada } }
            let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish) }
            #expect(refusal?.code == .untrustedResponse)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }

    @Test func `A family entry serves another member; the client that it belongs to keeps its own`() async throws {
        try await World.open { world in
            try world.leave(Self.ada, client: Directory.azureCLI) { $0.familyID = "1" }
            let shell = try world.application(Directory.azurePowerShell)
            let token = try await shell.acquireTokenSilent(Self.wish)
            #expect(token.account.homeAccountID == World.ada)
            #expect(try world.snapshot().legacyEntries.map(\.clientID) == [Directory.azureCLI])
            #expect(try world.refreshTokens(Directory.azurePowerShell).count == 1)
            await shell.close()
        }
    }

    @Test func `An entry for the whole family goes once a member has its token`() async throws {
        try await World.open { world in
            try world.leave(Self.ada, client: Directory.azureCLI) {
                $0.clientID = "foci-1"
                $0.familyID = "1"
                $0.kind = .family
            }
            let shell = try world.application(Directory.azurePowerShell)
            _ = try await shell.acquireTokenSilent(Self.wish)
            #expect(try world.snapshot().legacyEntries.isEmpty)
            await shell.close()
        }
    }

    @Test func `A client that is not of the family learns it and leaves the family's entry alone`() async throws {
        try await World.open { world in
            try world.leave(Self.ada, client: Directory.azureCLI) { $0.familyID = "1" }
            let outsider = try world.application()
            let account = try #require(try world.snapshot().accounts().first)
            let refusal = await failure { () throws(Failure) in
                try await outsider.acquireTokenSilent(Self.wish.with { $0.account = account })
            }
            #expect(refusal?.code == .interactionRequired)
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.tryOut, environment: "127.0.0.1")
                    == .notMember)
            #expect(try world.snapshot().legacyEntries.count == 1)
            await outsider.close()
        }
    }

    @Test func `Without a new refresh token the old one goes on in the unified form (RFC 6749 section 6)`() async throws
    {
        try await World.open { world in
            let secret = try world.leave(Self.ada)
            world.override([("refresh_token", .null)])
            let application = try world.application()
            _ = try await application.acquireTokenSilent(Self.wish)
            #expect(try world.refreshTokens() == [Secret(secret)] && world.snapshot().legacyEntries.isEmpty)
            await application.close()
        }
    }

    @Test func `The resource of a legacy entry is asked for with the double slash where it ends in one`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                try world.leave(Self.ada) { $0.resource = "https://management.azure.com/" }
                let application = try world.application(at: proxy.baseURL + "/organizations")
                let account = try #require(try await application.allAccounts().first)
                let scopes = try #require(try world.snapshot().legacyScopes(of: account, clientID: Directory.tryOut))
                _ = await application.silent(TokenRequest(scopes: scopes, account: account))
                #expect(
                    proxy.tokenRequests.last?.fields["scope"]?.hasPrefix("https://management.azure.com//.default ")
                        == true)
                await application.close()
            }
        }
    }

    @Test func `Eight callers at once upgrade once`() async throws {
        try await World.open { world in
            try world.leave(Self.ada)
            let account = try #require(try world.snapshot().accounts().first)
            let sources = await withTaskGroup(of: AcquiredToken.Source?.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        guard let application = try? world.application() else { return nil }
                        let answer = await application.silent(Self.wish.with { $0.account = account })
                        await application.close()
                        return answer.source
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sources.allSatisfy { $0 == .refresh || $0 == .cache } && sources.count { $0 == .refresh } == 1)
            #expect(world.provider.requests("token:refresh_token") == 1)
        }
    }

    @Test func `A sign-in as the legacy account makes what waited needless, and answers for it`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            let account = try #require(try await application.allAccounts().first)
            let token = try await world.signIn(application, account: account)
            #expect(token.account.homeAccountID == World.ada)
            #expect(try world.snapshot().legacyEntries.isEmpty)
        }
    }

    @Test func `Who was signed out is not brought back by a legacy cache`() async throws {
        try await World.open { world in
            try await world.signIn(world.application(Directory.azureCLI))
            let application = try world.application()
            let account = try await world.signIn(application).account
            _ = try await application.remove(account)
            try world.leave(Self.ada)
            let wish = Self.wish.with { $0.account = account }
            let refusal = await failure { () throws(Failure) in try await application.acquireTokenSilent(wish) }
            #expect(refusal?.code == .interactionRequired)
            let named = await failure { () throws(Failure) in try await application.acquireTokenSilent(Self.wish) }
            #expect(named?.code == .interactionRequired)
            #expect(try world.refreshTokens(Directory.tryOut).isEmpty)
            #expect(try world.snapshot().legacyEntries.isEmpty && world.provider.requests("token:refresh_token") == 0)
            // A sign-in brings them back, and what is left of ADAL is then as good as for anybody.
            try await world.signIn(application)
            #expect(try await application.acquireTokenSilent(Self.wish).source == .cache)
            await application.close()
        }
    }

    @Test
    func `Of who was signed out nothing is redeemed, and no more than once where the entry does not say whose it is`()
        async throws
    {
        try await World.open { world in
            // Before the sign-out, so that it is in the store already.
            try world.leave("ada.king@contoso.example", from: Self.ada) { $0.isUserIDShown = false }
            try await world.signIn(world.application(Directory.azureCLI))
            let application = try world.application()
            let account = try await world.signIn(application).account
            _ = try await application.remove(account)
            for round in 1...3 {
                let other = try await application.allAccounts().first { $0.origin == .adal }
                let refusal = await failure { () throws(Failure) in
                    try await application.acquireTokenSilent(Self.wish.with { $0.account = other })
                }
                #expect(refusal?.code == .interactionRequired, "\(round)")
                #expect(world.provider.requests("token:refresh_token") == 1, "\(round)")
            }
            #expect(try world.snapshot().legacyEntries.map(\.homeAccountID) == [World.ada])
            #expect(try world.refreshTokens(Directory.tryOut).isEmpty)
            await application.close()
        }
    }

    @Test func `Somebody known by name only gets the token of the client that asks, and the home account`() async throws
    {
        try await World.open { world in
            try await world.signIn(world.application(Directory.azureCLI))
            let shell = try world.application(Directory.azurePowerShell)
            try await world.signIn(shell)
            let own = try world.refreshTokens(Directory.azurePowerShell)
            let named = Account(
                homeAccountID: Account.unidentified(Self.ada, objectID: nil), environment: "127.0.0.1",
                username: "ADA@contoso.example",
                origin: .adal)
            try await world.withProxy { proxy in
                let configuration = PublicClientApplication.Configuration(
                    clientID: Directory.azurePowerShell,
                    authority: try Authority(proxy.baseURL + "/organizations", kind: .aad),
                    store: world.store, network: .patient)
                let application = PublicClientApplication(
                    configuration, cache: world.cache, provider: Provider(configuration.network), now: { world.time })
                let token = try await application.acquireTokenSilent(
                    Self.wish.with {
                        $0.account = named
                        $0.forceRefresh = true
                    })
                #expect(token.account.homeAccountID == World.ada)
                #expect(proxy.tokenRequests.last?.fields["refresh_token"] == own.first?.reveal())
                await application.close()
            }
            await shell.close()
        }
    }

    @Test func `A removed legacy account is gone without the network`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave(Self.ada)
            let account = try #require(try await application.allAccounts().first)
            #expect(try await application.remove(account) == 1)
            #expect(try await application.allAccounts().isEmpty && world.provider.requests("token") == 0)
        }
    }
}

extension World {
    /// Puts a refresh token of the sandbox into the store as `foyer import` would.
    ///
    /// - Parameters:
    ///   - username: whose the file says it is.
    ///   - owner: whose it is.
    ///   - token: one that already exists, in the place of a new one.
    @discardableResult
    func leave(
        _ username: String, from owner: String? = nil, client: String = Directory.tryOut, token: String? = nil,
        _ change: (inout LegacyEntry) -> Void = { _ in }
    ) throws -> String {
        let secret: String
        if let token {
            secret = token
        } else {
            secret = try provider.issue(username: owner ?? username, client: client)["refresh_token"]?.string ?? ""
        }
        var entry = LegacyEntry(
            kind: .multiResource, authority: try Authority(provider.authority("contoso.example"), kind: .aad),
            resource: "https://graph.windows.net", clientID: client, userID: username, tenantID: Directory.contoso.id,
            refreshToken: Secret(secret))
        change(&entry)
        _ = try cache.takeOver([entry])
        return secret
    }
}
