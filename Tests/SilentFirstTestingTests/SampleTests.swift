import Identity
import SilentFirst
import SilentFirstTesting
import Testing

/// The samples of the article Samples.md, line by line, against a provider in memory.
@Suite struct SampleTests {
    private struct Situation {
        let provider = TestProvider()
        let application: PublicClientApplication
        let browser: TestBrowser
        var userAgents: UserAgents { browser.userAgents }

        init() throws {
            application = provider.application(
                ClientConfiguration(
                    clientID: "11111111-2222-3333-4444-555555555555",
                    authority: try Authority("https://login.microsoftonline.com/common")))
            browser = provider.browser()
        }

        func signIn() async throws -> Account {
            try await application.acquireToken(TokenRequest(scopes: ["Mail.Read"]), userAgents: userAgents).account
        }
    }

    @Test func `An application is created without a request`() throws {
        let application = PublicClientApplication(
            ClientConfiguration(
                clientID: "11111111-2222-3333-4444-555555555555",
                authority: try Authority("https://login.microsoftonline.com/common"),
                store: "/home/ada/.local/share/example/token_cache.json"))
        #expect(application.configuration.authority.tenant == "common")
    }

    @Test func `The account is found by identifier, else by username`() async throws {
        let situation = try Situation()
        let application = situation.application
        let known = try await situation.signIn()
        for (savedIdentifier, savedUsername) in [
            (known.identifier, "nobody@contoso.example"), ("gone", "Ada@contoso.example"), (nil, known.username),
        ] {
            var account: Account?
            if let savedIdentifier { account = try await application.account(forIdentifier: savedIdentifier) }
            if account == nil { account = try await application.account(forUsername: savedUsername) }
            #expect(account?.id == known.id)
        }
    }

    @Test func `A silent call, and a prompt only if it is required`() async throws {
        let situation = try Situation()
        let (application, userAgents) = (situation.application, situation.userAgents)
        for isFirst in [true, false] {
            let account = isFirst ? nil : try await application.currentAccount()
            let request = TokenRequest(scopes: ["Mail.Read"], account: account)
            let token: AcquiredToken
            do throws(Failure) {
                token = try await application.acquireTokenSilent(request)
            } catch {
                guard error.code == .interactionRequired else { throw error }
                token = try await application.acquireToken(request, userAgents: userAgents)
            }
            #expect(token.source == (isFirst ? .interactive : .cache))
        }
        #expect(situation.browser.opened.count == 1)
    }

    @Test func `AD_PROMPT_AUTO is one call, AD_FORCE_PROMPT another`() async throws {
        let situation = try Situation()
        let (application, userAgents) = (situation.application, situation.userAgents)
        let account = try await application.acquireToken(
            TokenRequest(scopes: ["Mail.Read"]), userAgents: userAgents
        ).account
        let request = TokenRequest(scopes: ["Mail.Read"], account: account)
        do {
            let token = try await application.acquireTokenSilentFirst(request, userAgents: userAgents)
            #expect(token.source == .cache)
        }
        do {
            var forced = request
            forced.prompt = .login
            let token = try await application.acquireToken(forced, userAgents: userAgents)
            #expect(token.source == .interactive)
        }
        #expect(situation.provider.requests.last { $0.kind == .authorization }?.fields["prompt"] == "login")
    }

    private func secret(_ application: PublicClientApplication, _ request: TokenRequest) async -> Secret? {
        do throws(Failure) {
            return try await application.acquireTokenSilent(request).accessToken
        } catch {
            switch error.code {
            case .interactionRequired:
                return nil  // offer a sign-in
            case .declinedScopes:
                print("without \(error.declinedScopes): some functions are off")
                return error.result?.accessToken
            default:
                print(error)
                return nil
            }
        }
    }

    @Test func `Declined scopes come with a token, a required sign-in without`() async throws {
        let situation = try Situation()
        let account = try await situation.signIn()
        let request = TokenRequest(scopes: ["Mail.Read", "Mail.Send"], account: account)
        situation.provider.answer(with: .tokensWithout(["Mail.Send"]), .interactionRequired, .unreachable)
        #expect(await secret(situation.application, request) != nil)
        for _ in 0..<2 { #expect(await secret(situation.application, request) == nil) }
    }

    @Test func `Accounts are listed with their claims`() async throws {
        let situation = try Situation()
        let application = situation.application
        _ = try await situation.signIn()
        for account in try await application.allAccounts(readsClaims: true) {
            print(account.username, account.claims.value?.string("name") ?? "no ID token")
        }
        #expect(
            try await application.allAccounts(readsClaims: true).map { $0.claims.value?.string("name") } == [
                "Ada Lovelace"
            ])
    }

    @Test func `A guest tenant, and everything that was consented to`() async throws {
        let situation = try Situation()
        let application = situation.application
        let account = try await situation.signIn()
        let tenantID = "0b1ac1d4-5a32-4c9c-8b0e-2f6a3d1c7e55"
        let userAgents = situation.browser.userAgents
        let token = try await application.acquireTokenSilentFirst(
            TokenRequest(scopes: ["Mail.Read"], account: account, tenant: tenantID), userAgents: userAgents)
        #expect(token.tenantID == tenantID && token.account.id == account.id && token.source == .refresh)
        let request = TokenRequest(scopes: .everything(of: "https://management.azure.com/"), account: account)
        _ = try await application.acquireTokenSilent(request)
        #expect(
            situation.provider.tokenRequests.last?.scopes.contains("https://management.azure.com//.default") == true)
    }

    @Test func `Endpoints by hand, and a policy of B2C`() throws {
        do {
            var configuration = ClientConfiguration(
                clientID: "native-client", authority: try Authority("https://issuer.example", kind: .oidc))
            configuration.endpoints = EndpointOverrides(
                authorization: try WebAddress("https://issuer.example/authorize"),
                token: try WebAddress("https://issuer.example/token"))
            #expect(configuration.endpoints.keys == nil)
        }
        let configuration = ClientConfiguration(
            clientID: "11111111-2222-3333-4444-555555555555",
            authority: try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn"))
        let request = TokenRequest(scopes: ["openid", "profile"])
        #expect(configuration.authority.kind == .b2c && request.scopes.withoutReserved.isEmpty)
    }

    @Test func `A sign-out tells its parts`() async throws {
        let situation = try Situation()
        let (application, userAgents) = (situation.application, situation.userAgents)
        let account = try await situation.signIn()
        let outcome = try await application.signOut(account, userAgents: userAgents)
        print("removed: \(outcome.removed), revoked: \(outcome.revoked)")
        #expect(outcome.removed == .done)
        #expect(try await application.allAccounts().isEmpty)
    }
}
