import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

@Suite struct FamilyTests {
    private static let request = TokenRequest(scopes: ["User.Read"])

    @Test func `A client outside the family learns it once, and asks no more`() async throws {
        try await World.open { world in
            let account = try await world.signIn(world.application(Directory.azureCLI)).account
            let held = try world.refreshTokens()
            let outsider = try world.application()
            let wish = Self.request.with { $0.account = account }
            let refused = await failure { () throws(Failure) in try await outsider.acquireTokenSilent(wish) }
            #expect(refused?.code == .interactionRequired)
            #expect(world.provider.requests("token:refresh_token") == 1)
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.tryOut, environment: "127.0.0.1")
                    == .notMember)
            let again = await failure { () throws(Failure) in try await outsider.acquireTokenSilent(wish) }
            #expect(again?.code == .interactionRequired)
            #expect(world.provider.requests("token:refresh_token") == 1)
            #expect(try world.refreshTokens() == held)
            await outsider.close()
        }
    }

    @Test func `A client that has left the family is asked for a person, though the family's token is its own`()
        async throws
    {
        try await World.open { world in
            let client = try world.application(Directory.azureCLI)
            try await world.signIn(client)
            try world.advance(4000)
            let held = try world.refreshTokens()
            world.refuse("invalid_grant", "client_mismatch", codes: [70000])
            let refused = await client.silent(Self.request).refusal
            #expect(refused?.code == .interactionRequired && refused?.suberror == "client_mismatch")
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.azureCLI, environment: "127.0.0.1")
                    == .notMember)
            #expect(try world.refreshTokens() == held)
            await client.close()
        }
    }

    @Test func `The family's accounts are shown to its members only`() async throws {
        try await World.open { world in
            try await world.signIn(world.application(Directory.azureCLI))
            #expect(
                try await world.application(Directory.azurePowerShell).allAccounts().map(\.username) == [
                    "ada@contoso.example"
                ])
            #expect(try await world.application().allAccounts().isEmpty)
        }
    }

    @Test func `When the client's own refresh token is dead, a relative's serves; the trail tells the way`()
        async throws
    {
        try await World.open { world in
            let shell = try world.application(Directory.azurePowerShell)
            try await world.signIn(shell)
            try await world.signIn(world.application(Directory.azureCLI))
            let relative = try world.refreshTokens(Directory.azureCLI)
            world.provider.revoke(username: "ada@contoso.example", client: Directory.azurePowerShell)
            try world.advance(4000)
            let token = try await shell.acquireTokenSilent(Self.request)
            #expect(token.source == .refresh)
            #expect(
                token.trail.steps.map { "\($0.name) \($0.outcome)" } == [
                    "account done", "accessToken failed", "discovery done", "refreshToken failed",
                    "familyRefreshToken done",
                    "idToken done",
                    "save done",
                ])
            #expect(try world.refreshTokens(Directory.azureCLI) == relative)
            // The dead one is gone, and what came with the relative's is this client's own now.
            #expect(try world.refreshTokens(Directory.azurePowerShell).count == 1)
            try world.advance(4000)
            #expect(
                try await shell.acquireTokenSilent(Self.request).trail.steps.contains {
                    $0.name == .refreshToken && $0.outcome == .done
                })
            await shell.close()
        }
    }

    @Test func `A family token is kept as one, so that the next member finds it`() async throws {
        try await World.open { world in
            let shell = try world.application(Directory.azurePowerShell)
            try await world.signIn(world.application(Directory.azureCLI))
            _ = try await shell.acquireTokenSilent(Self.request)
            let tokens = try world.snapshot().credentials().filter { $0.kind == .refreshToken }
            #expect(tokens.allSatisfy { $0.familyID == "1" })
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.azurePowerShell, environment: "127.0.0.1")
                    == .member("1"))
            await shell.close()
        }
    }
}
