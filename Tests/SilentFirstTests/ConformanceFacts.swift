import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing
import TokenCache

@testable import Sandbox

// Facts of MSAL's suites: what is found locally, and what a refresh does.

extension Conformance {
    static let localHits: [ConformanceRow] = [
        ConformanceRow(given: "nobody is named and nobody is there", then: "interactionRequired") {
            (world: World) async throws in
            #expect(try await world.made().silent().code == .interactionRequired)
        },
        ConformanceRow(
            given: "valid access, refresh and ID token",
            then: "the cached one with all its scopes, not extended, no request"
        ) { world in
            let first = try await world.signIn(world.made(), scopes: ["User.Read", "Mail.Read"])
            world.provider.reset()
            let token = try #require(try await world.made().silent().token)
            #expect(
                token.accessToken == first.accessToken && token.scopes == ["User.Read", "Mail.Read"]
                    && token.source == .cache)
            #expect(world.provider.requests("discovery") == 0 && world.provider.requests("token") == 0)
        },
        ConformanceRow(given: "a valid token and only the family's refresh token", then: "the cached one") {
            world in
            try world.seed { $0.accessToken = Secret("kept") }
            try world.seed {
                $0.clientID = Directory.azureCLI
                $0.accessToken = nil
                $0.refreshToken = Secret("family")
                $0.familyID = "1"
            }
            #expect(try await world.made().silent().token?.accessToken == Secret("kept"))
        },
        ConformanceRow(
            given: "a token for other scopes", then: "a refresh with exactly the new ones and the reserved three"
        ) {
            world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
                try world.dropAccessTokens()
                #expect(await application.silent(TokenRequest(scopes: ["Mail.Read"])).source == .refresh)
                #expect(proxy.tokenRequests.last?.fields["scope"] == "Mail.Read openid profile offline_access")
                await application.close()
            }
        },
        ConformanceRow(given: "an expired token", when: "silent in mixed case", then: "a refresh that works") {
            world in
            let application = try world.made()
            try await world.expired(application)
            #expect(await application.silent(TokenRequest(scopes: ["uSER.rEAD"])).source == .refresh)
            await application.close()
        },
        ConformanceRow(given: "tokens for user.write… and user.sing", when: "user.Write", then: "only the first") {
            world in
            try world.seed { $0.scopes = ["user.write", "user.dance"] }
            try world.seed {
                $0.scopes = ["user.sing"]
                $0.accessToken = Secret("sung")
            }
            #expect(
                try await world.made().silent(TokenRequest(scopes: ["user.Write"])).token?.accessToken == Secret("kept")
            )
        },
        ConformanceRow(
            given: "tokens of two sets of scopes", when: "one is saved that meets the first",
            then: "only the first makes way"
        ) { world in
            try world.seed { $0.scopes = ["user.write", "user.sing"] }
            try world.seed { $0.scopes = ["user.dance", "user.play"] }
            try world.seed { $0.scopes = ["USER.sing", "user.new"] }
            let targets = try world.accessTokens().map(\.scopes)
            #expect(
                targets.count == 2 && targets.contains(["user.dance", "user.play"])
                    && targets.contains(["user.sing", "user.new"]))
        },
        ConformanceRow(
            given: "four tokens: two sets of scopes, another host, another person", then: "the right one of four"
        ) {
            world in
            try world.seed { $0.accessToken = Secret("right") }
            try world.seed { $0.scopes = ["Mail.Read"] }
            try world.seed { $0.environment = "example.org" }
            try world.seed("taro@contoso.example") { $0.homeAccountID = "taro." + Directory.contoso.id }
            let mine = Account(homeAccountID: World.ada, environment: "127.0.0.1", username: "")
            #expect(
                try await world.made().silent(World.wish.with { $0.account = mine }).token?.accessToken
                    == Secret("right"))
        },
        ConformanceRow(
            given: "a token under login.windows.net", when: "silent at login.microsoftonline.com",
            then: "it is found"
        ) {
            world in
            try world.seed { $0.environment = "login.windows.net" }
            #expect(try await world.made("https://login.microsoftonline.com/organizations").silent().source == .cache)
        },
        ConformanceRow(given: "700 and 600 seconds left", when: "the buffer is 601", then: "valid, over") {
            world in
            for (left, source) in [(700.0, AcquiredToken.Source?.some(.cache)), (600, nil)] {
                try world.seed { $0.expiresOn = world.time.addingTimeInterval(left) }
                #expect(try await world.made { $0.expirationBuffer = 601 }.silent().source == source)
            }
        },
        ConformanceRow(given: "50 seconds left", when: "the buffer is 100", then: "a refresh") { world in
            let application = try world.made { $0.expirationBuffer = 100 }
            try await world.signIn(application)
            try world.advance(3550)
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(given: "500 seconds left, renewal due in 70", then: "the cached one, no refresh") {
            world in
            try world.seed {
                $0.expiresOn = world.time.addingTimeInterval(500)
                $0.refreshOn = world.time.addingTimeInterval(70)
            }
            #expect(try await world.made().silent().source == .cache)
        },
    ]

    static let refreshes: [ConformanceRow] = [
        ConformanceRow(
            given: "a valid token without its ID token",
            then: "the token: MSAL refreshes, though nothing is wrong with it"
        ) { world in
            try world.seed { _ in }
            let token = try await world.made().silent().token
            #expect(
                token?.source == .cache && token?.idTokenClaims.claims.isEmpty == true
                    && token?.tenantID == Directory.contoso.id)
        },
        ConformanceRow(given: "no token, or one that is over", then: "a refresh at the home tenant; new tokens") {
            world in
            let application = try world.made()
            try await world.expired(application)
            let before = try world.refreshTokens()
            let token = try #require(await application.silent().token)
            #expect(token.source == .refresh && token.authority.tenant == Directory.contoso.id)
            #expect(try world.refreshTokens() != before)
            await application.close()
        },
        ConformanceRow(given: "an expired token, no refresh token", then: "interactionRequired, no request") {
            world in
            try world.seed { $0.expiresOn = world.time.addingTimeInterval(-1) }
            #expect(
                try await world.made().silent().code == .interactionRequired && world.provider.requests("token") == 0)
        },
        ConformanceRow(given: "a valid token", when: "forceRefresh", then: "a refresh") { world in
            let application = try world.made()
            try await world.signIn(application)
            #expect(await application.silent(World.wish.with { $0.forceRefresh = true }).source == .refresh)
            await application.close()
        },
        ConformanceRow(
            given: "a valid token, no refresh token", when: "forceRefresh",
            then: "interactionRequired, not the token"
        ) {
            world in
            try world.seed { _ in }
            #expect(
                try await world.made().silent(World.wish.with { $0.forceRefresh = true }).code == .interactionRequired)
        },
        ConformanceRow(
            when: "a reply without access and ID token", then: "untrustedResponse; only the refresh token is new"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            let (before, spent) = (try world.tokensOfUse(), try world.refreshTokens())
            world.override([("access_token", .null), ("id_token", .null)])
            #expect(await application.silent().code == .untrustedResponse)
            #expect(try world.tokensOfUse() == before && world.refreshTokens() != spent)
            await application.close()
        },
        ConformanceRow(when: "fewer scopes come back", then: "the granted part is then served from the store") {
            world in
            let application = try world.made()
            try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
            try world.advance(4000)
            world.override([("scope", "User.Read")])
            #expect(await application.silent(TokenRequest(scopes: ["User.Read", "Mail.Read"])).code == .declinedScopes)
            #expect(await application.silent().source == .cache)
            await application.close()
        },
        ConformanceRow(when: "the granted list has the reserved names", then: "they are in neither list") {
            world in
            let application = try world.made()
            try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
            try world.advance(4000)
            world.override([("scope", "openid profile offline_access User.Read")])
            let refused = await application.silent(TokenRequest(scopes: ["User.Read", "Mail.Read"])).refusal
            #expect(refused?.grantedScopes == ["User.Read"] && refused?.declinedScopes == ["Mail.Read"])
            await application.close()
        },
        ConformanceRow(when: "email is asked for and left out, or given", then: "both are good") { _ in
            #expect((["User.Read", "email"] as ScopeSet).declined(granted: ["User.Read"]).isEmpty)
            #expect((["User.Read", "email"] as ScopeSet).declined(granted: ["User.Read", "email"]).isEmpty)
        },
        ConformanceRow(when: "429 with Retry-After: 256", then: "unavailable, with the time to wait") { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 256))
            let refused = await application.silent().refusal
            #expect(refused?.code == .unavailable && refused?.message.contains("256") == true)
            await application.close()
        },
        ConformanceRow(when: "403 without words", then: "a failure; the refresh token stays") { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.html)
            #expect(await application.silent().code == .untrustedResponse)
            #expect(try world.refreshTokens().count == 1)
            await application.close()
        },
        ConformanceRow(
            given: "an account of one cloud", when: "silent at another",
            then: "interactionRequired; the refresh token is not sent"
        ) { world in
            try world.seed {
                $0.environment = "login.windows.net"
                $0.refreshToken = Secret("never sent")
            }
            let account = try #require(try world.snapshot().accounts().first)
            let china = try world.made("https://login.partner.microsoftonline.cn/organizations")
            #expect(await china.silent(World.wish.with { $0.account = account }).code == .interactionRequired)
        },
        ConformanceRow(
            given: "a B2C account of one policy", when: "its token is over, or another policy is asked",
            then: "its own policy only"
        ) { world in
            let home = World.adaAtContoso + "-b2c_1_signin." + Directory.contoso.id
            try world.seed {
                $0.homeAccountID = home
                $0.environment = "contoso.b2clogin.com"
                $0.realm = "contoso.onmicrosoft.com"
            }
            let address = "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/"
            #expect(try await world.made(address + "B2C_1_signin", kind: .b2c).silent().source == .cache)
            #expect(try await world.made(address + "B2C_1_edit", kind: .b2c).silent().code == .interactionRequired)
        },
        ConformanceRow(
            given: "a valid token", when: "claims",
            then: "a refresh with them in the body; an empty request skips nothing"
        ) { world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                try await world.signIn(application)
                #expect(await application.silent(World.wish.with { $0.claims = "{}" }).source == .cache)
                let challenge = #"{"access_token":{"nbf":{"essential":true}}}"#
                #expect(await application.silent(World.wish.with { $0.claims = challenge }).source == .refresh)
                #expect(proxy.tokenRequests.last?.fields["claims"] == challenge)
                await application.close()
            }
        },
        ConformanceRow(given: "capabilities", when: "the token is over", then: "the body has xms_cc") { world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations", capabilities: ["cp1"])
                try await world.signIn(application)
                try world.advance(4000)
                #expect(await application.silent().source == .refresh)
                #expect(
                    proxy.tokenRequests.last?.fields["claims"] == #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#)
                await application.close()
            }
        },
        ConformanceRow(
            given: "an expired token whose extended lifetime runs", when: "5xx",
            then: "the token, said to be extended; also while throttled"
        ) {
            world in
            try await extended(world, isWanted: true) {
                (world: World, application: PublicClientApplication) async throws in
                world.bend(.status(503, retryAfter: 30))
                let first = await application.silent()
                #expect(first.source == .extendedLifetime)
                let asked = world.refreshes
                #expect(await application.silent().source == .extendedLifetime && world.refreshes == asked)
                #expect(try world.refreshTokens().count == 1)
            }
        },
        ConformanceRow(
            given: "the same, and the extended lifetime is not wanted", when: "5xx", then: "unavailable"
        ) { world in
            try await extended(world, isWanted: false) {
                (world: World, application: PublicClientApplication) async throws in
                world.bend(.status(504, retryAfter: nil))
                #expect(await application.silent().code == .unavailable)
            }
        },
        ConformanceRow(given: "a valid token, due for renewal", then: "a new one") { world in
            let application = try world.made()
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            try await world.signIn(application)
            try world.advance(120)
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
    ]

    /// A token of an hour that may be used for a day while the provider is away.
    private static func extended(
        _ world: World, isWanted: Bool, _ body: (World, PublicClientApplication) async throws -> Void
    ) async throws {
        world.provider.bend(
            Fault(.override([JSON.Member(name: "ext_expires_in", value: .int(86_400))]), endpoint: "token:device_code"))
        let application = try world.made { $0.extendedLifetime = isWanted }
        try await world.signIn(application)
        world.provider.clearFaults()
        try world.advance(4000)
        try await body(world, application)
        await application.close()
    }
}
