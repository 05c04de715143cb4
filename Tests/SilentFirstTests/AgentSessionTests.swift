import Foundation
import Identity
import LegacyCaches
import SilentCore
import Synchronization
import Testing
import TokenCache

@testable import Sandbox
@testable import SilentFirst

/// Silent calls for an AI agent's session: tokens of its own, the person's account.
@Suite struct AgentSessionTests {
    private static func wish(_ session: String?) -> TokenRequest { World.wish.with { $0.agentSession = session } }

    /// The session that the provider made a token for.
    private static func marker(_ token: AcquiredToken) throws -> String? {
        try DecodedJWT(token.accessToken).payload.string("xms_cli_sid")
    }

    private func acquire(_ application: PublicClientApplication, _ session: String?) async throws -> AcquiredToken {
        try await application.acquireTokenSilent(Self.wish(session))
    }

    @Test func `A session gets tokens of its own, and nobody gets those of another`() async throws {
        try await World.open { world in
            let application = try world.application()
            let person = try await world.signIn(application)
            let spent = try world.refreshTokens()
            let first = try await acquire(application, "s1")
            #expect(first.source == .refresh && first.accessToken != person.accessToken)
            #expect(try Self.marker(first) == "s1" && Self.marker(person) == nil)
            #expect(first.account.id == person.account.id)
            #expect(try world.refreshTokens().count == 1 && world.refreshTokens() != spent)

            let again = try await acquire(application, "s1")
            #expect(again.source == .cache && again.accessToken == first.accessToken)
            let still = try await acquire(application, nil)
            #expect(still.source == .cache && still.accessToken == person.accessToken)
            let second = try await acquire(application, "s2")
            #expect(second.source == .refresh)
            #expect(try Self.marker(second) == "s2")
            #expect(world.provider.requests("token:refresh_token") == 2)

            let forced = try await application.acquireTokenSilent(Self.wish("s1").with { $0.forceRefresh = true })
            #expect(forced.source == .refresh)
            #expect(try await acquire(application, "s1").accessToken == forced.accessToken)
            #expect(try await acquire(application, "s2").accessToken == second.accessToken)
            #expect(try await acquire(application, nil).accessToken == person.accessToken)
            await application.close()
        }
    }

    @Test func `Calls of a person and of two sessions at once share nothing but the turn to refresh`() async throws {
        try await World.open { world in
            try await world.signIn(world.application())
            try world.advance(4000)
            let shared = try world.application()
            let found = try await withThrowingTaskGroup(of: (String?, Secret, String?).self) { group in
                for session in [nil, "s1", "s2"] {
                    for number in 0..<4 {
                        group.addTask {
                            // As many threads of one process as processes of their own.
                            let application = number < 2 ? shared : try world.application()
                            let token = try await application.acquireTokenSilent(Self.wish(session))
                            if number >= 2 { await application.close() }
                            return (session, token.accessToken, try Self.marker(token))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.allSatisfy { $0.0 == $0.2 })
            #expect(Set(found.map(\.1)).count == 3)
            #expect(world.provider.requests("token:refresh_token") == 3)
            await shared.close()
        }
    }

    @Test func `A program that waits for another's refresh takes no token of another session`() async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            try world.advance(4000)
            let snapshot = try world.snapshot()
            let first = try await acquire(application, "s1")
            func renewed(_ session: String?) throws -> Secret? {
                let found = try application.cached.tokenRenewedByAnother(for: Self.wish(session), from: snapshot) { _ in
                }
                guard case .token(let token) = found else {
                    if case .none(let turn) = found {
                        turn?.lock.flatMap { RefreshLock(inherited: $0, path: world.store) }?.release()
                    }
                    return nil
                }
                return token.accessToken
            }
            #expect(try renewed("s1") == first.accessToken)
            #expect(try renewed(nil) == nil && renewed("s2") == nil)
            await application.close()
        }
    }

    @Test func `What a session is refused does not hold up the person, and no sign-in is asked for`() async throws {
        try await World.open { world in
            let application = try world.application()
            let person = try await world.signIn(application)
            try world.advance(4000)
            world.refuse("interaction_required", "basic_action", codes: [50076], times: 1)
            let guarded = Guarded()
            for _ in 0..<2 {
                let refusal = await failure { () throws(Failure) in
                    try await application.acquireTokenSilentFirst(Self.wish("s1"), userAgents: guarded.userAgents)
                }
                #expect(refusal?.code == .interactionRequired && refusal?.serverCodes == [50076])
            }
            #expect(guarded.count == 0 && world.provider.requests("token:refresh_token") == 1)
            let token = try await acquire(application, nil)
            #expect(token.source == .refresh && token.account.id == person.account.id)
            await application.close()
        }
    }

    @Test func `While the provider is away the person's token is in its extended lifetime for the person alone`()
        async throws
    {
        try await World.open { world in
            let application = try world.made { $0.extendedLifetime = true }
            try await world.expired(application)
            try world.seed {
                $0.expiresOn = world.time.addingTimeInterval(-10)
                $0.extendedExpiresOn = world.time.addingTimeInterval(3600)
            }
            world.bend(.status(503, retryAfter: nil))
            #expect(await application.silent(Self.wish(nil)).source == .extendedLifetime)
            #expect(await application.silent(Self.wish("s1")).code == .unavailable)
            await application.close()
        }
    }

    @Test func `A session's first token may come of what an ADAL cache left`() async throws {
        try await World.open { world in
            let application = try world.application()
            try world.leave("ada@contoso.example")
            #expect(try Self.marker(await acquire(application, "s1")) == "s1")
            let person = try await acquire(application, nil)
            #expect(try person.source == .refresh && Self.marker(person) == nil)
            await application.close()
        }
    }

    @Test(arguments: [BrokerUse.always, .device]) func `A broker is not asked for a session`(use: BrokerUse)
        async throws
    {
        try await World.open { world in
            try await world.signIn(world.application())
            var configuration = try world.application().configuration
            configuration.broker = use
            let asked = Mutex(0)
            let application = PublicClientApplication(
                configuration, cache: world.cache, provider: Provider(configuration.network),
                broker: TokenBroker { _ throws(TokenBroker.Trouble) in
                    asked.withLock { $0 += 1 }
                    throw TokenBroker.Trouble("asked")
                }, now: { world.now })
            #expect(try await acquire(application, "s1").source == .refresh)
            world.refuse("invalid_grant", codes: [53000], times: 1)
            #expect(await application.silent(Self.wish("s2")).refusal?.serverCodes == [53000])
            #expect(asked.withLock { $0 } == 0)
            await application.close()
        }
    }

    @Test(arguments: ["", "a b", "a\nb", "\u{E9}", String(repeating: "x", count: 257)])
    func `An identifier that is none ends the call before anything is looked at`(session: String) async throws {
        try await World.open { world in
            let application = try world.application()
            try await world.signIn(application)
            #expect(await application.silent(Self.wish(session)).code == .usage)
            #expect(try application.cached.cachedToken(for: Self.wish(session), from: world.snapshot()) { _ in } == nil)
            #expect(try await acquire(application, String(repeating: "~", count: 256)).source == .refresh)
            await application.close()
        }
    }

    @Test func `A provider that cannot tell a session gives it nothing`() async throws {
        try await World.open { world in
            let application = try world.application(Directory.labCLI, oidc: true)
            let wish = TokenRequest(scopes: ["openid", "profile"])
            try await world.signIn(application, "hedy@lab.example", scopes: wish.scopes)
            #expect(await application.silent(wish).source == .cache)
            #expect(await application.silent(wish.with { $0.agentSession = "s1" }).code == .configuration)
            #expect(world.provider.requests("token:refresh_token") == 0)
            await application.close()
        }
    }

    @Test func `An agent's session does not sign in`() async throws {
        try await World.open { world in
            let (application, guarded) = (try world.made(), Guarded())
            let refusal = await failure { () throws(Failure) in
                try await application.acquireToken(Self.wish("s1"), userAgents: guarded.userAgents)
            }
            #expect(refusal?.code == .usage && guarded.count == 0)
        }
    }
}
