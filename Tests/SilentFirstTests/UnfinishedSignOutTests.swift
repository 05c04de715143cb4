import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

/// A sign-out whose provider cannot be reached is not done, and its tokens are never used again.
@Suite struct UnfinishedSignOutTests {
    private static let quiet = SignOutOptions(endsBrowserSession: false)
    private static let scopes: ScopeSet = ["openid", "profile", "offline_access"]

    private static let troubles: [Fault] = [
        Fault(.status(503, retryAfter: nil), endpoint: "revoke", times: 9),
        Fault(.cutOff, endpoint: "revoke", times: 9),
        Fault(.status(503, retryAfter: nil), endpoint: "discovery", times: 9),
    ]

    @Test(arguments: troubles)
    func `Without an answer the refresh token is kept to be revoked, and the next sign-out revokes it`(
        trouble: Fault
    ) async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(lab, "hedy@lab.example", scopes: Self.scopes).account
            let kept = try #require(try world.snapshot().credentials().first { $0.kind == .refreshToken }).secret
            world.provider.bend(trouble)
            let again = try world.application(Directory.labCLI, oidc: true)
            let outcome = try await again.signOut(account, options: Self.quiet, userAgents: .deviceCodeOnly)
            #expect(!outcome.isFinished)
            guard case .failed = outcome.revoked else {
                Issue.record("it was not revoked")
                return
            }
            #expect(try world.snapshot().credentials().isEmpty)
            #expect(try world.snapshot().pendingRevocations().map(\.secret) == [kept])

            // Nothing is asked with it, whatever is asked for.
            let refreshes = world.provider.requests("token:refresh_token")
            for force in [false, true] {
                let refused = await failure { () throws(Failure) in
                    try await again.acquireTokenSilent(
                        TokenRequest(scopes: Self.scopes, account: account, forceRefresh: force))
                }
                #expect(refused?.code == .interactionRequired)
                #expect(refused?.message.contains("being signed out") == true, "\(refused?.message ?? "")")
            }
            #expect(world.provider.requests("token:refresh_token") == refreshes)

            world.provider.clearFaults()
            let revocations = world.provider.requests("revoke")
            let ended = try await again.signOut(account, options: Self.quiet, userAgents: .deviceCodeOnly)
            #expect(ended.revoked == .done && ended.isFinished)
            #expect(world.provider.requests("revoke") == revocations + 1)
            #expect(try world.snapshot().pendingRevocations().isEmpty && world.snapshot().accounts().isEmpty)
            await lab.close()
            await again.close()
        }
    }

    @Test func `To give up on the provider is a choice, and leaves nothing`() async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(lab, "hedy@lab.example", scopes: Self.scopes).account
            world.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "revoke", times: 9))
            var options = Self.quiet
            options.givesUpOnProvider = true
            let outcome = try await lab.signOut(account, options: options, userAgents: .deviceCodeOnly)
            #expect(outcome.isFinished && outcome.removed == .done)
            #expect(try world.snapshot().accounts().isEmpty && world.snapshot().pendingRevocations().isEmpty)
            await lab.close()
        }
    }

    @Test func `A provider that refuses or does not offer it has answered: the sign-out is finished`() async throws {
        for quirk in [Quirk.revocationRefused, .noRevocation] {
            try await World.open { world in
                world.provider.bend(Fault(.quirk(quirk)))
                let lab = try world.application(Directory.labCLI, oidc: true)
                let account = try await world.signIn(lab, "hedy@lab.example", scopes: Self.scopes).account
                let outcome = try await lab.signOut(account, options: Self.quiet, userAgents: .deviceCodeOnly)
                #expect(outcome.isFinished && outcome.revoked != .done)
                #expect(try world.snapshot().accounts().isEmpty)
                await lab.close()
            }
        }
    }

    @Test func `Another account and a new sign-in of the same one are served meanwhile`() async throws {
        try await World.open { world in
            let lab = try world.application(Directory.labCLI, oidc: true)
            let account = try await world.signIn(lab, "hedy@lab.example", scopes: Self.scopes).account
            world.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "revoke", times: 9))
            _ = try await lab.signOut(account, options: Self.quiet, userAgents: .deviceCodeOnly)
            world.provider.clearFaults()
            let next = try world.application(Directory.labCLI, oidc: true)
            let back = try await world.signIn(next, "hedy@lab.example", scopes: Self.scopes).account
            let again = try world.application(Directory.labCLI, oidc: true)
            let token = try await again.acquireTokenSilent(
                TokenRequest(scopes: Self.scopes, account: back, forceRefresh: true))
            #expect(token.source != .cache)
            // Signed out once more, both tokens go.
            let before = world.provider.requests("revoke")
            let outcome = try await again.signOut(back, options: Self.quiet, userAgents: .deviceCodeOnly)
            #expect(outcome.revoked == .done && world.provider.requests("revoke") == before + 2)
            #expect(try world.snapshot().pendingRevocations().isEmpty)
            await lab.close()
            await again.close()
        }
    }
}
