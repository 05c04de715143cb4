import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Waiting
import Wire

@testable import Sandbox

/// How the answer to an authorization request comes back: in a form, as a refusal; and what it must say of how the
/// person signed in.
@Suite struct AnswerTests {
    private static func lab(_ world: World) throws -> PublicClientApplication {
        try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI)
    }

    private static func agents(_ visit: @escaping @Sendable (WebAddress) async -> Void) -> UserAgents {
        UserAgents(
            automatic: { (.browser, "a test") },
            openBrowser: { address throws(BrowserProblem) in Task { await visit(address) } })
    }

    private static let follow: @Sendable (WebAddress) async -> Void = { address in
        guard let location = await Socket.get(address.text, userAgent: "curl/8").header("location") else { return }
        _ = await Socket.get(location)
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `An answer by a form arrives at the listener, and signs in (form_post)`()
        async throws
    {
        try await World.open { world in
            world.provider.answerPages(as: "hedy@lab.example")
            let lab = try Self.lab(world)
            let transport = Transport(.patient)
            let token = try await lab.acquireToken(
                TokenRequest(scopes: ["openid", "profile"], loginHint: "hedy@lab.example", responseMode: .formPost),
                userAgents: Self.agents { address in
                    // What the page's script does: it sends its hidden fields where the form says.
                    guard let reply = try? await transport.send(HTTPRequest(address)) else { return }
                    let page = String(decoding: reply.body, as: UTF8.self).replacing("&amp;", with: "&")
                    guard let action = page.firstMatch(of: /action="([^"]+)"/),
                        let place = try? WebAddress(String(action.1))
                    else {
                        return
                    }
                    let fields = page.matches(of: /name="([^"]+)" value="([^"]*)"/).map {
                        (name: String($0.1), value: String($0.2))
                    }
                    _ = try? await transport.send(HTTPRequest(place, body: .form(fields)))
                })
            #expect(token.source == .interactive && token.account.username == "hedy@lab.example")
            await transport.close()
            await lab.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: [3600, 0])
    func `An age that was asked for is asked of the provider and found in its ID token`(age: Int) async throws {
        try await World.open { world in
            let lab = try Self.lab(world)
            let asked = Mutex<[String: String]>([:])
            let token = try await lab.acquireToken(
                TokenRequest(scopes: ["openid", "profile"], loginHint: "hedy@lab.example", maxAge: age),
                userAgents: Self.agents { address in
                    asked.withLock { $0 = FormEncoding.decode(address.query ?? "") ?? [:] }
                    await Self.follow(address)
                })
            #expect(asked.withLock { $0["max_age"] } == "\(age)" && token.idTokenClaims.claims.date("auth_time") != nil)
            await lab.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A class of authentication that was asked for and does not come is no sign-in, and nothing is kept`()
        async throws
    {
        try await World.open { world in
            let lab = try Self.lab(world)
            let asked = Mutex<[String: String]>([:])
            let refused = await failure { () throws(Failure) in
                try await lab.acquireToken(
                    TokenRequest(
                        scopes: ["openid", "profile"], loginHint: "hedy@lab.example", acrValues: ["gold", "silver"]),
                    userAgents: Self.agents { address in
                        asked.withLock { $0 = FormEncoding.decode(address.query ?? "") ?? [:] }
                        await Self.follow(address)
                    })
            }
            #expect(asked.withLock { $0["acr_values"] } == "gold silver")
            #expect(refused?.code == .untrustedResponse && refused?.message.contains("authentication class") == true)
            #expect(try world.snapshot().credentials().isEmpty)
            await lab.close()
        }
    }

    @Test(
        .timeLimit(.minutes(Waiting.minutes)),
        arguments: [
            ("AADB2C90091: The user has cancelled entering self-asserted information.", Failure.Code.cancelled, 90091),
            ("AADB2C90118: The user has forgotten their password.", .interactionRequired, 90118),
        ])
    func `B2C's two refusals by access_denied are told apart: who gave up, and who forgot a password`(
        words: String, code: Failure.Code, number: Int
    ) async throws {
        try await World.open { world in
            let application = try world.made(world.provider.b2cAuthority(), kind: .b2c, client: Directory.b2cApp)
            world.provider.bend(
                Fault(
                    .error("access_denied", suberror: nil, codes: [], claims: nil, description: words, status: 400),
                    endpoint: "authorize"))
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: [Directory.b2cScopes[0]]), userAgents: Self.agents(Self.follow))
            }
            #expect(
                refused?.code == code && refused?.serverCodes == [number]
                    && refused?.serverCodeNames == ["AADB2C\(number)"])
            #expect(refused?.oauthError == "access_denied" && refused?.nextStep != nil)
            await application.close()
        }
    }
    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `An ID token that comes alone signs a person in, and a call for an access token says so without asking`()
        async throws
    {
        try await World.open { world in
            world.provider.answerPages(as: "rosalind@mail.example")
            let application = try world.made(world.provider.b2cAuthority(), kind: .b2c, client: Directory.b2cApp)
            let wish = TokenRequest(scopes: ["openid", "profile"])
            let agents = Self.agents(Self.follow)
            let alone = try await application.acquireToken(wish, userAgents: agents)
            #expect(alone.accessToken.isEmpty && alone.account.name != nil)
            let stored = try world.snapshot().credentials(clientID: Directory.b2cApp)
            #expect(Set(stored.map(\.kind)) == [.idToken, .refreshToken])

            let silent = await application.silent(wish).refusal
            #expect(silent?.code == .serverError && silent?.result?.source == .refresh)
            let guarded = Guarded()
            let first = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(wish, userAgents: guarded.userAgents)
            }
            #expect(first?.code == .serverError && guarded.count == 0)

            // The client id is the scope of the application itself.
            let own = TokenRequest(scopes: .toAsk(configured: [], kind: .b2c, clientID: Directory.b2cApp))
            #expect(try await !application.acquireToken(own, userAgents: agents).accessToken.isEmpty)
            #expect(await application.silent(own).source == .cache)
            await application.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)), arguments: ["/", "openid offline_access", "/ openid", nil])
    func `At B2C a slash, or no scope, in place of the client id is the client id`(scope: String?) async throws {
        try await World.open { world in
            world.provider.answerPages(as: "rosalind@mail.example")
            let application = try world.made(world.provider.b2cAuthority(), kind: .b2c, client: Directory.b2cApp)
            world.provider.bend(
                Fault(
                    .override([JSON.Member(name: "scope", value: scope.map { .string($0) } ?? .null)]),
                    endpoint: "token"))
            let own = TokenRequest(scopes: .toAsk(configured: [], kind: .b2c, clientID: Directory.b2cApp))
            let token = try await application.acquireToken(own, userAgents: Self.agents(Self.follow))
            #expect(token.scopes == [Directory.b2cApp])
            #expect(await application.silent(own).source == .cache)
            let renewed = await application.silent(own.with { $0.forceRefresh = true })
            #expect(renewed.source == .refresh && renewed.token?.scopes == [Directory.b2cApp])
            await application.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes))) func `At B2C a slash is not an API's scope`() async throws {
        try await World.open { world in
            world.provider.answerPages(as: "rosalind@mail.example")
            let application = try world.made(world.provider.b2cAuthority(), kind: .b2c, client: Directory.b2cApp)
            world.provider.bend(Fault(.override([JSON.Member(name: "scope", value: "/")]), endpoint: "token"))
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: [Directory.b2cScopes[0]]), userAgents: Self.agents(Self.follow))
            }
            #expect(refused?.code == .declinedScopes && refused?.declinedScopes == [Directory.b2cScopes[0]])
            #expect(refused?.grantedScopes.isEmpty == true)
            await application.close()
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Where an API's scope was asked for, an ID token alone is no answer`() async throws {
        try await World.open { world in
            world.provider.answerPages(as: "rosalind@mail.example")
            let application = try world.made(world.provider.b2cAuthority(), kind: .b2c, client: Directory.b2cApp)
            world.provider.bend(
                Fault(.override([JSON.Member(name: "access_token", value: .null)]), endpoint: "token"))
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: [Directory.b2cScopes[0]]), userAgents: Self.agents(Self.follow))
            }
            #expect(refused?.code == .untrustedResponse)
            #expect(try world.snapshot().credentials(clientID: Directory.b2cApp).isEmpty)
            await application.close()
        }
    }
}
