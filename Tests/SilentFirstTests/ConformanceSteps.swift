import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing

@testable import Sandbox
@testable import TokenCache

// The steps of silent acquisition, in their order.

extension Conformance {
    static let stepsBeforeTheNetwork: [ConformanceRow] = [
        ConformanceRow(given: "nobody is signed in", then: "interactionRequired, and nobody is asked") {
            (world: World) async throws in
            #expect(try await world.made().silent().code == .interactionRequired)
            #expect(world.provider.requests("discovery") == 0)
        },
        ConformanceRow(
            when: "silent at an authority of another family", then: "interactionRequired; no token is sent there"
        ) {
            world in
            try await world.expired(world.made())
            let account = try #require(try world.snapshot().accounts().first)
            let other = try world.made("http://localhost:9/realms/lab", kind: .oidc)
            let refused = await other.silent(World.wish.with { $0.account = account })
            #expect(refused.code == .interactionRequired && world.refreshes == 0)
        },
        ConformanceRow(
            when: "silent for a guest tenant by its domain, twice",
            then: "the second call finds the token of the first"
        ) {
            world in
            let application = try world.made()
            try await world.signIn(application)
            let wish = World.wish.with { $0.tenant = Directory.fabrikam.domain }
            let first = await application.silent(wish)
            #expect(first.source == .refresh && first.token?.tenantID == Directory.fabrikam.id)
            let second = await application.silent(wish)
            #expect(second.source == .cache && second.token?.accessToken == first.token?.accessToken)
            // The map is emptied on sign-out.
            let account = try #require(first.token?.account)
            try await application.remove(account)
            #expect(
                try world.snapshot().tenant(
                    named: Directory.fabrikam.domain, of: account.id, clientID: Directory.tryOut) == nil)
            await application.close()
        },
        ConformanceRow(
            when: "silent with reserved scopes among those asked for",
            then: "they are not counted, where MSAL refuses"
        ) {
            world in
            try await world.signIn(world.made())
            #expect(
                try await world.made().silent(TokenRequest(scopes: ["openid", "User.Read", "offline_access"])).source
                    == .cache)
        },
        ConformanceRow(
            given: "the account was removed from this client, another holds it",
            then: "interactionRequired at once; the next prompt is login"
        ) {
            world in
            let application = try world.made()
            try await world.signIn(world.made(client: Directory.azureCLI))
            let account = try await world.signIn(application).account
            try await application.remove(account)
            world.provider.reset()
            let refused = await application.silent(World.wish.with { $0.account = account })
            #expect(refused.code == .interactionRequired && refused.refusal?.trail.steps.map(\.name) == [.account])
            #expect(world.provider.requests("discovery") == 0)
            #expect(try world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut))
            // A sign-in takes the mark away.
            try await world.signIn(application)
            #expect(try !world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut))
        },
        ConformanceRow(
            given: "a valid token, and nobody at the provider's address",
            then: "the token: nothing is validated over the network"
        ) {
            world in
            try world.seed { $0.environment = "login.windows.net" }
            let token = try await world.made("https://login.microsoftonline.com/organizations").silent().token
            #expect(token?.source == .cache && token?.trail.steps.map(\.name) == [.account, .accessToken])
        },
        ConformanceRow(
            given: "tokens of another person, client, tenant, scope or binding", then: "none of them answers"
        ) { world in
            try world.seed { $0.homeAccountID = "other." + Directory.contoso.id }
            try world.seed { $0.realm = Directory.fabrikam.id }
            try world.seed { $0.scopes = ["Mail.Read"] }
            try world.seed {
                $0.tokenType = "pop"
                $0.keyID = "thumbprint"
            }
            let account = try #require(try world.snapshot().accounts().first { $0.homeAccountID == World.ada })
            let refused = try await world.made().silent(World.wish.with { $0.account = account })
            #expect(refused.code == .interactionRequired)
            // What is bound to the key is found by whoever has it, and by nobody else.
            var query = CredentialQuery(
                homeAccountID: World.ada, environment: "127.0.0.1", realms: [Directory.contoso.id],
                clientID: Directory.tryOut,
                scopes: ["User.Read"], tokenType: "pop", keyID: "thumbprint")
            #expect(try world.snapshot().accessToken(query, at: world.time, buffer: 300)?.secret == Secret("kept"))
            query.keyID = "another"
            #expect(try world.snapshot().accessToken(query, at: world.time, buffer: 300) == nil)
        },
        ConformanceRow(given: "a token that was cached in the future", then: "it is over: the clock went back") {
            world in
            try world.seed {
                $0.cachedAt = world.time.addingTimeInterval(7200)
                $0.expiresOn = world.time.addingTimeInterval(9000)
            }
            #expect(try await world.made().silent().code == .interactionRequired)
        },
        ConformanceRow(
            given: "a valid token, due for renewal",
            then: "a renewal; the old token stays until there is a new one"
        ) {
            world in
            let application = try world.made()
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            let first = try await world.signIn(application)
            try world.advance(120)
            #expect(await application.silent().token?.accessToken != first.accessToken && world.refreshes == 1)
            await application.close()
        },
        ConformanceRow(given: "an own and a family refresh token", then: "the client's own goes first") {
            world in
            let shell = try world.made(client: Directory.azurePowerShell)
            try await world.signIn(shell)
            try await world.signIn(world.made(client: Directory.azureCLI))
            try world.advance(4000)
            #expect(
                await shell.silent().token?.trail.steps.contains { $0.name == .refreshToken && $0.outcome == .done }
                    == true)
            #expect(world.refreshes == 1)
            await shell.close()
        },
        ConformanceRow(
            given: "a client that is known not to be of the family",
            then: "the family's refresh token is not tried"
        ) {
            world in
            let account = try await world.signIn(world.made(client: Directory.azureCLI)).account
            try world.cache.markNotInFamily(clientID: Directory.tryOut, environment: "127.0.0.1")
            #expect(
                try await world.made().silent(World.wish.with { $0.account = account }).code == .interactionRequired)
            #expect(world.refreshes == 0)
        },
        ConformanceRow(
            given: "a refresh token under another name of the cloud",
            then: "it is found, whatever the tenant and scopes"
        ) { world in
            try world.seed {
                $0.environment = "sts.windows.net"
                $0.accessToken = nil
                $0.refreshToken = Secret("rt")
            }
            let query = CredentialQuery(
                homeAccountID: World.ada, environment: "login.microsoft.com", realms: ["elsewhere"],
                clientID: Directory.tryOut,
                scopes: ["Files.Read"])
            #expect(try world.snapshot().refreshTokens(query, family: false).map(\.secret) == [Secret("rt")])
        },
        ConformanceRow(given: "no refresh token at all", then: "interactionRequired, no request") { world in
            try world.seed { $0.expiresOn = world.time.addingTimeInterval(-10) }
            #expect(try await world.made().silent().code == .interactionRequired)
            #expect(world.provider.requests("discovery") == 0)
        },
    ]

    static let stepsOnTheNetwork: [ConformanceRow] = [
        ConformanceRow(given: "metadata that cannot be had", then: "that failure, and no refresh token is sent") {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.provider.bend(Fault(.status(404, retryAfter: nil), endpoint: "discovery"))
            let fresh = try world.made()
            #expect(await fresh.silent().code != nil && world.refreshes == 0)
            await fresh.close()
        },
        ConformanceRow(
            given: "metadata whose token endpoint is of another cloud",
            then: "the refresh token is not sent, and it is said why"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            let elsewhere = JSON.Member(
                name: "token_endpoint", value: "https://login.partner.microsoftonline.cn/common/oauth2/v2.0/token")
            world.provider.bend(Fault(.override([elsewhere]), endpoint: "discovery"))
            let fresh = try world.made()
            // MSAL says interactionRequired, although no sign-in mends it.
            #expect(await fresh.silent().code == .untrustedResponse)
            #expect(world.refreshes == 0)
            await fresh.close()
        },
        ConformanceRow(
            given: "a provider that asked to wait",
            then: "unavailable with the seconds that are left, no request"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 30))
            #expect(await application.silent().code == .unavailable && world.refreshes == 1)
            let again = await application.silent(World.wish.with { $0.forceRefresh = true })
            #expect(
                again.code == .unavailable && again.refusal?.trail.steps.last?.name == .throttle && world.refreshes == 1
            )
            try world.advance(46)
            world.provider.clearFaults()
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(
            given: "an expired token",
            then: "one POST with the grant, the token, the client, the scopes and client_info"
        ) { world in
            try await world.withProxy { proxy in
                let application = try world.application(at: proxy.baseURL + "/organizations")
                try await world.signIn(application)
                try world.advance(4000)
                #expect(await application.silent(TokenRequest(scopes: ["user.READ"])).source == .refresh)
                let asked = try #require(proxy.tokenRequests.last).fields
                #expect(
                    asked["grant_type"] == "refresh_token" && asked["client_id"] == Directory.tryOut
                        && asked["client_info"] == "1")
                #expect(
                    asked["scope"] == "user.READ openid profile offline_access"
                        && asked["refresh_token"]?.isEmpty == false)
                await application.close()
            }
        },
        ConformanceRow(
            given: "an expired token", when: "the provider fails once", then: "one more try, and a token"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(500, retryAfter: nil), times: 1)
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(
            given: "a valid token, due for renewal", when: "the provider is unreachable",
            then: "the valid token, also offline"
        ) { world in
            try world.seed {
                $0.refreshOn = world.time.addingTimeInterval(-1)
                $0.refreshToken = Secret("rt")
                $0.environment = "localhost"
            }
            let token = try await world.made("http://localhost:9/organizations").silent().token
            #expect(token?.accessToken == Secret("kept") && token?.source == .cache)
        },
        ConformanceRow(
            when: "each refusal",
            then: "only bad_token takes the refresh token, only a deleted account everything"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("invalid_grant", nil, times: 1)
            #expect(await application.silent().code == .interactionRequired)
            #expect(try world.refreshTokens().count == 1)
            try world.advance(121)
            world.refuse("unauthorized_client", "protection_policy_required", times: 1)
            #expect(await application.silent().code == .serverError)
            #expect(try world.refreshTokens().count == 1)
            world.refuse("invalid_grant", "bad_token", times: 1)
            #expect(await application.silent().code == .interactionRequired)
            #expect(try world.refreshTokens().isEmpty && !world.snapshot().accounts().isEmpty)
            await application.close()
        },
        ConformanceRow(
            when: "invalid_scope, invalid_client, protection_policy_required", then: "no person is asked"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            for (error, suberror) in [
                ("invalid_scope", nil), ("invalid_client", nil), ("unauthorized_client", "protection_policy_required"),
            ] {
                world.refuse(error, suberror, times: 1)
                let person = Guarded()
                let refused = await failure { () throws(Failure) in
                    try await application.acquireTokenSilentFirst(World.wish, userAgents: person.userAgents)
                }
                #expect(refused?.code == .serverError && refused?.oauthError == error && person.count == 0)
            }
            await application.close()
        },
        ConformanceRow(
            given: "a dead own refresh token and a relative's",
            then: "the relative's serves, and its entry stays as it is"
        ) { world in
            let shell = try world.made(client: Directory.azurePowerShell)
            try await world.signIn(shell)
            try await world.signIn(world.made(client: Directory.azureCLI))
            let relative = try world.refreshTokens(Directory.azureCLI)
            world.provider.revoke(username: "ada@contoso.example", client: Directory.azurePowerShell)
            try world.advance(4000)
            #expect(await shell.silent().source == .refresh)
            #expect(try world.refreshTokens(Directory.azureCLI) == relative)
            await shell.close()
        },
        ConformanceRow(
            when: "invalid_grant with words", then: "interactionRequired with error, suberror, codes and claims"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse(
                "invalid_grant", "basic_action", codes: [50076], claims: #"{"access_token":{"acrs":{"value":"c1"}}}"#)
            let refused = await application.silent().refusal
            #expect(
                refused?.code == .interactionRequired && refused?.oauthError == "invalid_grant"
                    && refused?.suberror == "basic_action")
            #expect(refused?.serverCodes == [50076] && refused?.claims == #"{"access_token":{"acrs":{"value":"c1"}}}"#)
            await application.close()
        },
        ConformanceRow(when: "a reply of another token type", then: "untrustedResponse; only the refresh token is new")
        {
            world in
            let application = try world.made()
            try await world.expired(application)
            let (before, spent) = (try world.tokensOfUse(), try world.refreshTokens())
            world.override([("token_type", "mac")])
            #expect(await application.silent().code == .untrustedResponse)
            #expect(try world.tokensOfUse() == before && world.refreshTokens() != spent)
            await application.close()
        },
        ConformanceRow(
            when: "a reply without scope and expires_in", then: "the scopes that were asked for, and an hour"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.override([
                ("scope", .null), ("expires_in", .null), ("ext_expires_in", .int(7200)), ("refresh_in", .int(1800)),
            ])
            let token = try #require(await application.silent().token)
            #expect(token.scopes == ["User.Read"] && abs(token.expiresOn.timeIntervalSince(world.time) - 3600) < 2)
            let held = try #require(try world.accessTokens().first)
            #expect(held.refreshOn != nil && held.extendedExpiresOn ?? .distantPast > token.expiresOn)
            await application.close()
        },
        ConformanceRow(
            when: "a refresh at a guest tenant",
            then: "tokens, and the profile of the tenant, beside those of home"
        ) {
            world in
            let application = try world.made()
            try await world.signIn(application)
            let guest = await application.silent(World.wish.with { $0.tenant = Directory.fabrikam.id })
            #expect(guest.source == .refresh)
            let account = try #require(try await application.account(forIdentifier: World.ada))
            #expect(account.tenantProfiles.map(\.tenantID) == [Directory.contoso.id, Directory.fabrikam.id])
            #expect(account.tenantProfiles.map(\.localAccountID) == [World.adaAtContoso, World.adaAtFabrikam])
            #expect(
                account.tenantProfiles.allSatisfy { $0.claims.value?.isEmpty == false }
                    && account.username == "ada@contoso.example")
            await application.close()
        },
        ConformanceRow(
            when: "fewer scopes come back", then: "declinedScopes with both lists; the tokens are kept"
        ) { world in
            let application = try world.made()
            try await world.signIn(application, scopes: ["User.Read", "Mail.Read"])
            try world.advance(4000)
            world.override([("scope", "User.Read")])
            let refused = await application.silent(TokenRequest(scopes: ["User.Read", "Mail.Read"])).refusal
            #expect(refused?.code == .declinedScopes)
            #expect(refused?.declinedScopes == ["Mail.Read"] && refused?.grantedScopes == ["User.Read"])
            #expect(await application.silent().source == .cache)
            await application.close()
        },
        ConformanceRow(
            when: "the reply is for another account",
            then: "untrustedResponse, nothing stored; MSAL does not compare"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            let other = try #require(try world.provider.issue(username: "taro@contoso.example")["client_info"])
            let before = try world.snapshot().credentials()
            world.override([("client_info", other)])
            #expect(await application.silent().code == .untrustedResponse)
            #expect(try world.snapshot().credentials() == before)
            await application.close()
        },
        ConformanceRow(
            when: "the ID token of the reply is forged", then: "untrustedResponse; MSAL does not look"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.idToken(.badSignature))
            #expect(await application.silent().code == .untrustedResponse)
            await application.close()
        },
    ]
}
