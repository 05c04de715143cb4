import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import Testing

@testable import Sandbox
@testable import TokenCache

// Facts of MSAL's suites: refusals and families, and writing.

extension Conformance {
    static let refusals: [ConformanceRow] = [
        ConformanceRow(
            when: "invalid_grant with an unknown suberror",
            then: "interactionRequired, both kept; the refresh token stays"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("invalid_grant", "never_heard_of")
            let refused = await application.silent().refusal
            #expect(
                refused?.code == .interactionRequired && refused?.oauthError == "invalid_grant"
                    && refused?.suberror == "never_heard_of")
            #expect(try world.refreshTokens().count == 1)
            await application.close()
        },
        ConformanceRow(
            when: "invalid_grant with bad_token", then: "interactionRequired; the refresh token is gone"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("invalid_grant", "bad_token")
            #expect(await application.silent().code == .interactionRequired)
            #expect(try world.refreshTokens().isEmpty)
            await application.close()
        },
        ConformanceRow(
            when: "invalid_grant with user_account_deleted",
            then: "interactionRequired; this client's credentials are gone"
        ) { world in
            let application = try world.made()
            try await world.signIn(world.made(client: Directory.azureCLI))
            try await world.expired(application)
            world.refuse("invalid_grant", "user_account_deleted")
            #expect(await application.silent().code == .interactionRequired)
            #expect(try world.snapshot().credentials(clientID: Directory.tryOut).isEmpty)
            #expect(try !world.snapshot().credentials(clientID: Directory.azureCLI).isEmpty)
            await application.close()
        },
        ConformanceRow(
            when: "unauthorized_client with protection_policy_required",
            then: "serverError, not a person's matter; words kept"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("unauthorized_client", "protection_policy_required")
            let refused = await application.silent().refusal
            #expect(refused?.code == .serverError && refused?.suberror == "protection_policy_required")
            await application.close()
        },
        ConformanceRow(
            given: "the store's refresh token differs, or is the same", when: "it is to be removed",
            then: "kept, gone"
        ) {
            world in
            try world.seed { $0.refreshToken = Secret("newer") }
            try world.cache.forgetRefreshToken(Secret("elder"), clientID: Directory.tryOut)
            #expect(try world.refreshTokens() == [Secret("newer")])
            try world.cache.forgetRefreshToken(Secret("newer"), clientID: Directory.azureCLI)
            #expect(try world.refreshTokens() == [Secret("newer")])
            try world.cache.forgetRefreshToken(Secret("newer"), clientID: Directory.tryOut)
            #expect(try world.refreshTokens().isEmpty)
        },
        ConformanceRow(given: "only the family's refresh token, a member", then: "refreshed with it") { world in
            try await world.signIn(world.made(client: Directory.azureCLI))
            let shell = try world.made(client: Directory.azurePowerShell)
            #expect(await shell.silent().source == .refresh)
            await shell.close()
        },
        ConformanceRow(
            given: "a client of which nothing is known, a family token of another",
            then: "tried once; client_mismatch is remembered"
        ) {
            world in
            let account = try await world.signIn(world.made(client: Directory.azureCLI)).account
            let stranger = try world.made()
            let wish = World.wish.with { $0.account = account }
            #expect(await stranger.silent(wish).code == .interactionRequired && world.refreshes == 1)
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.tryOut, environment: "127.0.0.1")
                    == .notMember)
            #expect(await stranger.silent(wish).code == .interactionRequired && world.refreshes == 1)
            await stranger.close()
        },
        ConformanceRow(
            given: "a revoked own token, a family token of another secret",
            then: "a second request with that, and success"
        ) { world in
            let shell = try world.made(client: Directory.azurePowerShell)
            try await world.signIn(shell)
            try await world.signIn(world.made(client: Directory.azureCLI))
            world.provider.revoke(username: "ada@contoso.example", client: Directory.azurePowerShell)
            try world.advance(4000)
            #expect(await shell.silent().source == .refresh && world.refreshes == 2)
            await shell.close()
        },
        ConformanceRow(
            given: "only the client's own token", when: "the family's is looked for", then: "none, and no error"
        ) {
            world in
            try world.seed { $0.refreshToken = Secret("own") }
            let query = CredentialQuery(
                homeAccountID: World.ada, environment: "127.0.0.1", clientID: Directory.azureCLI)
            #expect(try world.snapshot().refreshTokens(query, family: true).isEmpty)
        },
    ]

    static let writing: [ConformanceRow] = [
        ConformanceRow(given: "a token for {a}", when: "{a, b} is saved, then {c}", then: "one token, then two") {
            world in
            try world.seed { $0.scopes = ["a"] }
            try world.seed { $0.scopes = ["a", "b"] }
            #expect(try world.accessTokens().map(\.scopes) == [["a", "b"]])
            try world.seed { $0.scopes = ["c"] }
            #expect(try world.accessTokens().count == 2)
        },
        ConformanceRow(when: "a reply that does not say whose it is", then: "untrustedResponse, nothing stored") {
            world in
            let application = try world.made()
            try await world.expired(application)
            let before = try world.snapshot().credentials()
            world.override([("client_info", .null), ("id_token", .null)])
            #expect(await application.silent().code == .untrustedResponse)
            #expect(try world.snapshot().credentials() == before)
            // The ID token alone says it as well.
            world.provider.clearFaults()
            world.override([("client_info", .null)])
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(when: "a reply without an ID token", then: "good: the one from before stays") { world in
            let application = try world.made()
            try await world.expired(application)
            world.override([("id_token", .null)])
            let token = await application.silent().token
            #expect(token?.source == .refresh && token?.idTokenClaims.claims.string("oid") == World.adaAtContoso)
            await application.close()
        },
        ConformanceRow(
            when: "a reply with foci", then: "the token is the family's, and the client is known as a member"
        ) { world in
            try await world.signIn(world.made(client: Directory.azureCLI))
            #expect(try world.snapshot().credentials().filter { $0.kind == .refreshToken }.map(\.familyID) == ["1"])
            #expect(
                try world.snapshot().familyMembership(clientID: Directory.azureCLI, environment: "127.0.0.1")
                    == .member("1"))
        },
        ConformanceRow(
            given: "two people, two clients", when: "one is removed for a client, then for all",
            then: "only theirs goes"
        ) { world in
            let taro = "taro." + Directory.contoso.id
            for client in [Directory.tryOut, Directory.azureCLI] {
                try world.seed { $0.clientID = client }
                try world.seed("taro@contoso.example") {
                    $0.clientID = client
                    $0.homeAccountID = taro
                }
            }
            let application = try world.made()
            let account = try #require(try await application.account(forIdentifier: taro))
            try await application.remove(account)
            #expect(try world.accessTokens().count == 3)
            try await application.remove(account, wipe: true)
            #expect(try world.accessTokens().compactMap(\.homeAccountID) == [World.ada, World.ada])
            #expect(try world.snapshot().accounts().map(\.homeAccountID) == [World.ada])
        },
    ]
}
