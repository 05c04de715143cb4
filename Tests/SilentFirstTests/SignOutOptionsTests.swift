import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

@Suite struct SignOutOptionsTests {
    @Test
    func `Each part of a sign-out is told apart: refresh tokens, access tokens, the store, the browser's session`()
        async throws
    {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(
                lab, "hedy@lab.example", scopes: ["openid", "profile", "offline_access"]
            ).account
            let end = try #require(try world.accessTokens().first?.expiresOn)
            let quiet = try await lab.signOut(
                account, options: SignOutOptions(revokesTokens: false, endsBrowserSession: false),
                userAgents: Guarded().userAgents)
            #expect(quiet.revoked == .notOffered && quiet.sessionEnded == .notOffered && quiet.removed == .done)
            #expect(quiet.accessTokensExpire == end && quiet.endSessionURL == nil)

            try await world.signIn(lab, "hedy@lab.example", scopes: ["openid", "profile", "offline_access"])
            let whole = try await lab.signOut(
                account, options: SignOutOptions(revokesAccessTokens: true), userAgents: Guarded().userAgents)
            #expect(whole.revoked == .done && whole.accessTokensRevoked == .done && whole.accessTokensExpire == nil)
            // No browser opens in a test: the page is named all the same, and the account is gone.
            let shown = try #require(whole.endSessionURL?.text)
            #expect(shown.contains("client_id=") && !shown.contains("id_token_hint") && !shown.contains("state="))
            // The hint is kept for a browser, and for nothing that shows a value.
            #expect(whole.endSessionURLWithHint?.reveal().contains("id_token_hint=") == true)
            #expect(!String(describing: whole).contains("id_token_hint"))
            if case .failed = whole.sessionEnded {} else { Issue.record("the page cannot have been opened") }
            #expect(try world.snapshot().credentials().isEmpty)
            await lab.close()
        }
    }

    @Test func `A wipe takes every client's credentials and every note of the account, and nobody else's`() async throws
    {
        try await World.open { world in
            let application = try world.application()
            let account = try await world.signIn(application).account
            try await world.signIn(world.application(Directory.azureCLI))
            try await world.signIn(application, "taro@contoso.example")
            let outcome = try await application.signOut(
                account, options: SignOutOptions(wipe: true, endsBrowserSession: false),
                userAgents: Guarded().userAgents)
            #expect(outcome.removed == .done)
            #expect(try world.snapshot().accounts().map(\.username) == ["taro@contoso.example"])
            #expect(try world.snapshot().credentials().allSatisfy { $0.homeAccountID != account.homeAccountID })
            #expect(try !world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut))
            await application.close()
        }
    }
}
