import FoundationEssentials
import Identity
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

/// What real providers do that breaks clients, row by row: a sign-in, a refresh and a dead refresh token at a provider
/// with the quirk.
@Suite struct ToleranceTests {
    private static let request = TokenRequest(scopes: ["openid", "profile", "offline_access"])

    /// Quirks under which nobody can sign in, and how that is said.
    private static let hopeless: [Quirk: Failure.Code] = [
        .noMetadata: .serverError, .issuerMismatch: .untrustedResponse,
    ]

    @Test(arguments: Quirk.allCases.filter { hopeless[$0] == nil })
    func
        `A person signs in, the token is refreshed, and a refresh token that died asks for a person and keeps the account`(
            _ quirk: Quirk
        )
        async throws
    {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(quirk)))
            let application = try world.application(Directory.labCLI, oidc: true)
            let token = try await world.signIn(application, "hedy@lab.example", scopes: Self.request.scopes)
            #expect(token.account.label.hasPrefix("hedy"))
            #expect(token.tokenType == "Bearer")
            // An epoch is no length of time; whatever was sent, the token lives for a while and not for decades.
            #expect(token.expiresOn.timeIntervalSince(Date()) > 0 && token.expiresOn.timeIntervalSince(Date()) < 86_400)

            try world.advance(4000)
            #expect(try await application.acquireTokenSilent(Self.request).source == .refresh)

            _ = world.provider.revoke(username: "hedy@lab.example")
            try world.advance(8000)
            let dead = await failure { () async throws(Failure) in
                try await application.acquireTokenSilent(Self.request)
            }
            #expect(dead?.code == .interactionRequired, "\(String(describing: dead))")
            #expect(try world.snapshot().accounts(clientID: Directory.labCLI).count == 1)
            await application.close()
        }
    }

    @Test(arguments: hopeless.keys.sorted { $0.rawValue < $1.rawValue })
    func `A provider that cannot be trusted, or that says nothing of itself, is refused and nothing is stored`(
        _ quirk: Quirk
    )
        async throws
    {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(quirk)))
            let application = try world.application(Directory.labCLI, oidc: true)
            let refusal = await failure { () async throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["openid"], method: .device), userAgents: .deviceCodeOnly)
            }
            #expect(refusal?.code == Self.hopeless[quirk])
            if quirk == .issuerMismatch {
                #expect(
                    refusal?.message.contains("/elsewhere") == true
                        && refusal?.message.contains(world.provider.issuer) == true)
            }
            #expect(world.provider.requests("token") == 0)
            await application.close()
        }
    }

    @Test func `Only the issuer that was set is accepted in place of the authority's own`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.quirk(.issuerMismatch)))
            var configuration = try world.application(Directory.labCLI, oidc: true).configuration
            configuration.endpoints.issuer = world.provider.issuer
            let application = PublicClientApplication(configuration)
            let refusal = await failure { () async throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["openid"], method: .device), userAgents: .deviceCodeOnly)
            }
            #expect(refusal?.code == .untrustedResponse)
            await application.close()
        }
    }
}
