import FoundationEssentials
import Identity
import SilentFirst
import SilentFirstTesting
import Testing

@Suite struct TestProviderTests {
    private static let authorities = [
        "https://login.microsoftonline.com/organizations", "https://login.microsoftonline.us/common",
        "https://login.microsoftonline.com/7f58f645-c190-4ce5-9de4-e2b7acd2a6ab", "https://issuer.example/realms/lab",
        "https://issuer.example",
    ]

    private func configuration(_ authority: String = authorities[0]) throws -> ClientConfiguration {
        ClientConfiguration(clientID: "11111111-2222-3333-4444-555555555555", authority: try Authority(authority))
    }

    private func failure<Value>(of body: () async throws(Failure) -> Value) async -> Failure? {
        do throws(Failure) { _ = try await body() } catch { return error }
        return nil
    }

    @Test(arguments: authorities) func `A sign-in, the cache, a refresh`(authority: String) async throws {
        let provider = TestProvider()
        let application = provider.application(try configuration(authority))
        let browser = provider.browser()
        let request = TokenRequest(scopes: ["Mail.Read"])
        let first = try await application.acquireTokenSilentFirst(request, userAgents: browser.userAgents)
        #expect(first.source == .interactive && first.account.username == "ada@contoso.example")
        #expect(
            browser.opened.count == 1 && provider.tokenRequests.map(\.kind) == [.token(grant: "authorization_code")])
        let second = try await application.acquireTokenSilentFirst(request, userAgents: browser.userAgents)
        #expect(second.source == .cache && second.accessToken == first.accessToken)
        provider.clock.advance(by: 3600)
        let third = try await application.acquireTokenSilent(request)
        #expect(third.source == .refresh && third.accessToken != first.accessToken)
        #expect(browser.opened.count == 1 && provider.tokenRequests.count == 2)
        #expect(try await application.allAccounts().map(\.username) == ["ada@contoso.example"])
    }

    @Test func `A refusal needs the person, who is asked once`() async throws {
        let provider = TestProvider()
        let application = provider.application(try configuration())
        let browser = provider.browser()
        let request = TokenRequest(scopes: ["Mail.Read"])
        _ = try await application.acquireToken(request, userAgents: browser.userAgents)
        provider.clock.advance(by: 3600)
        provider.answer(with: .claimsRequired)
        let refused = await failure { () throws(Failure) in try await application.acquireTokenSilent(request) }
        #expect(refused?.code == .interactionRequired && refused?.claims != nil)
        // The refusal is remembered for two minutes, without a request.
        let count = provider.tokenRequests.count
        let token = try await application.acquireTokenSilentFirst(request, userAgents: browser.userAgents)
        #expect(token.source == .interactive && browser.opened.count == 2)
        #expect(provider.tokenRequests.count == count + 1)
        #expect(provider.requests.last { $0.kind == .authorization }?.fields["claims"]?.contains("acrs") == true)
        #expect(provider.requests.last { $0.kind == .authorization }?.fields["login_hint"] == "ada@contoso.example")
    }

    @Test func `A revoked session is a refusal, an outage is none`() async throws {
        let provider = TestProvider()
        let application = provider.application(try configuration())
        let request = TokenRequest(scopes: ["Mail.Read"])
        _ = try await application.acquireToken(request, userAgents: provider.browser().userAgents)
        provider.clock.advance(by: 3600)
        provider.answer(with: .unreachable)
        #expect(
            await failure { () throws(Failure) in try await application.acquireTokenSilent(request) }?.code
                == .unavailable)
        provider.answer(with: .unavailable(retryAfter: 30))
        #expect(
            await failure { () throws(Failure) in try await application.acquireTokenSilent(request) }?.code
                == .unavailable)
        let count = provider.tokenRequests.count
        #expect(
            await failure { () throws(Failure) in try await application.acquireTokenSilent(request) }?.code
                == .unavailable)
        #expect(provider.tokenRequests.count == count)
        provider.clock.advance(by: 31)
        provider.revokeRefreshTokens()
        #expect(
            await failure { () throws(Failure) in try await application.acquireTokenSilent(request) }?.code
                == .interactionRequired)
    }

    @Test func `The person declines, stays away, or grants less`() async throws {
        let provider = TestProvider()
        let application = provider.application(try configuration())
        let request = TokenRequest(scopes: ["Mail.Read", "Mail.Send"])
        let browser = provider.browser(.declines)
        #expect(
            await failure { () throws(Failure) in
                try await application.acquireToken(request, userAgents: browser.userAgents)
            }?.code == .cancelled)
        browser.person = .staysAway
        #expect(
            await failure { () throws(Failure) in
                try await application.acquireToken(request, userAgents: browser.userAgents)
            }?.code == .unavailable)
        browser.person = .signsIn(.grace)
        provider.answer(with: .tokensWithout(["Mail.Send"]))
        let declined = await failure { () throws(Failure) in
            try await application.acquireToken(request, userAgents: browser.userAgents)
        }
        #expect(declined?.code == .declinedScopes && declined?.result?.account.username == "grace@contoso.example")
    }

    @Test func `A code on another device is entered, in no time`() async throws {
        let provider = TestProvider()
        let application = provider.application(try configuration())
        let request = TokenRequest(scopes: ["Mail.Read"])
        let browser = provider.browser(method: .device)
        let token = try await application.acquireTokenSilentFirst(request, userAgents: browser.userAgents)
        #expect(token.source == .interactive && browser.opened.isEmpty)
        #expect(provider.clock.now.timeIntervalSince(TestClock().now) == 10)
        browser.person = .staysAway
        #expect(
            await failure { () throws(Failure) in
                try await application.acquireToken(request, userAgents: browser.userAgents)
            }?.code == .interactionRequired)
        #expect(provider.clock.now.timeIntervalSince(TestClock().now) > 900)
    }

    @Test func `Two accounts in one store, one of them signs out`() async throws {
        let provider = TestProvider()
        let store = InMemoryTokenStore()
        let application = provider.application(try configuration(), store: store)
        let request = TokenRequest(scopes: ["Mail.Read"])
        for user in [TestUser.ada, .grace] {
            _ = try await application.acquireToken(request, userAgents: provider.browser(.signsIn(user)).userAgents)
        }
        let again = provider.application(try configuration(), store: store)
        #expect(try await again.allAccounts().count == 2)
        #expect(await failure { () throws(Failure) in try await again.acquireTokenSilent(request) }?.code == .ambiguous)
        let ada = try #require(try await again.account(forUsername: "ada@contoso.example"))
        _ = try await again.signOut(ada, userAgents: provider.browser().userAgents)
        #expect(try await application.allAccounts().map(\.username) == ["grace@contoso.example"])
        let token = try await application.acquireTokenSilent(request)
        #expect(token.account.username == "grace@contoso.example" && token.source == .cache)
    }

    @Test func `Applications that share a store in memory refresh once`() async throws {
        let provider = TestProvider()
        let store = InMemoryTokenStore()
        let applications = try (0..<8).map { _ in provider.application(try configuration(), store: store) }
        let request = TokenRequest(scopes: ["Mail.Read"])
        _ = try await applications[0].acquireToken(request, userAgents: provider.browser().userAgents)
        provider.clock.advance(by: 3600)
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for application in applications {
                group.addTask { try await application.acquireTokenSilent(request).accessToken }
            }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && provider.tokenRequests.count == 2)
    }
}
