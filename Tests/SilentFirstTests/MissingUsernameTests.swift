import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

/// A provider whose ID token has no username.
@Suite struct MissingUsernameTests {
    private static let request = TokenRequest(
        scopes: ["openid", "profile", "email"], method: .device, loginHint: "mallory@elsewhere.example")

    private static func signIn(_ world: World, _ application: PublicClientApplication) async throws -> AcquiredToken {
        try await application.acquireToken(request, userAgents: .deviceCodeOnly) { [provider = world.provider] event in
            guard case .deviceCode(let prompt) = event else { return }
            try? provider.approve(userCode: prompt.userCode, username: "hedy@lab.example", scopes: nil)
        }
    }

    @Test func `Userinfo is asked once for the name, at the sign-in, and a refresh keeps it`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(.namelessIDToken)))
            let application = try world.application(Directory.labCLI, oidc: true)
            let token = try await Self.signIn(world, application)
            #expect(token.account.username == "hedy@lab.example" && token.account.name == "Hedy Lamarr")
            #expect(world.provider.requests("userinfo") == 1)

            try world.advance(4000)
            #expect(try await application.acquireTokenSilent(Self.request).source == .refresh)
            #expect(world.provider.requests("userinfo") == 1)
            let kept = try #require(try world.snapshot().accounts(clientID: Directory.labCLI).first)
            #expect(kept.username == "hedy@lab.example" && kept.name == "Hedy Lamarr")
            await application.close()
        }
    }

    @Test func `Userinfo that answers for somebody else is not used: the subject is shown, and never the login hint`()
        async throws
    {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(.namelessIDToken)))
            world.provider.bend(Fault(.quirk(.userinfoOfAnother)))
            let application = try world.application(Directory.labCLI, oidc: true)
            let token = try await Self.signIn(world, application)
            #expect(token.account.username.isEmpty && token.account.name == nil)
            #expect(token.account.label == token.account.homeAccountID && token.account.label == "hedy@lab.example")
            #expect(token.trail.steps.contains { $0.name == .userInfo && $0.outcome == .failed })
            await application.close()
        }
    }

    @Test func `A provider without userinfo gives an account that shows its subject`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(.namelessIDToken)))
            world.provider.bend(Fault(.quirk(.noUserinfo)))
            let application = try world.application(Directory.labCLI, oidc: true)
            let token = try await Self.signIn(world, application)
            #expect(token.account.username.isEmpty && token.account.label == token.account.homeAccountID)
            #expect(world.provider.requests("userinfo") == 0)
            await application.close()
        }
    }

    @Test func `Where the ID token has the username, nobody else is asked`() async throws {
        try await World.open { world in
            let application = try world.application(Directory.labCLI, oidc: true)
            #expect(try await Self.signIn(world, application).account.username == "hedy@lab.example")
            #expect(world.provider.requests("userinfo") == 0)
            await application.close()
        }
    }

    @Test
    func `A client whose scopes were chosen asks for no other, and keeps no refresh token that it did not ask for`()
        async throws
    {
        try await World.open { world in
            var configuration = try world.application(Directory.labCLI, oidc: true).configuration
            configuration.reservedScopes = ["openid"]
            let application = PublicClientApplication(configuration)
            let token = try await application.acquireToken(
                TokenRequest(scopes: ["openid", "notes.read"], method: .device), userAgents: .deviceCodeOnly
            ) { [provider = world.provider] event in
                guard case .deviceCode(let prompt) = event else { return }
                try? provider.approve(userCode: prompt.userCode, username: "hedy@lab.example", scopes: nil)
            }
            #expect(token.scopes == ["notes.read"])
            #expect(!(try world.snapshot().credentials(clientID: nil).contains { $0.kind == .refreshToken }))
            await application.close()
        }
    }
}
