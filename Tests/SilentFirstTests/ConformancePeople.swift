import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import Synchronization
import Testing
import TokenCache
import Wire

@testable import Sandbox

// Facts of MSAL's suites: people, and the rest.

extension Conformance {
    static let people: [ConformanceRow] = [
        ConformanceRow(
            given: "an account of another member of the family", when: "allAccounts",
            then: "found, without claims"
        ) {
            world in
            try await world.signIn(world.made(client: Directory.azureCLI))
            let shell = try world.made(client: Directory.azurePowerShell)
            let account = try #require(try await shell.account(forUsername: "ada@contoso.example"))
            #expect(account.claims == .noIDToken && account.tenantProfiles.allSatisfy { $0.claims == .noIDToken })
        },
        ConformanceRow(
            given: "home and guest tenants", when: "allAccounts",
            then: "one account with all profiles, each with its claims"
        ) { world in
            let application = try world.made()
            try await world.signIn(application)
            try await world.signIn(world.made(world.provider.authority(Directory.fabrikam.id)))
            let listed = try await application.allAccounts()
            #expect(listed.count == 1 && listed[0].claims == .notRead)
            #expect(listed[0].tenantProfiles.allSatisfy { $0.claims == .notRead })
            let described = try await application.allAccounts(readsClaims: true)
            #expect(try await application.accounts(AccountQuery()) == described)
            let account = try #require(try await application.accounts(AccountQuery()).first)
            #expect(
                account.tenantProfiles.map { $0.claims.value?.string("oid") } == [
                    World.adaAtContoso, World.adaAtFabrikam,
                ])
            #expect(account.claims.value?.string("tid") == Directory.contoso.id)
        },
        ConformanceRow(given: "the same", when: "accountForUsername", then: "the account with all profiles") {
            world in
            try await world.signIn(world.made())
            try await world.signIn(world.made(world.provider.authority(Directory.fabrikam.id)))
            #expect(try await world.made().account(forUsername: "ADA@contoso.example")?.tenantProfiles.count == 2)
            let guest = try await world.made().account(
                forLocalAccountID: World.adaAtFabrikam, tenantID: Directory.fabrikam.id)
            #expect(guest?.homeAccountID == World.ada)
            #expect(
                try await world.made().account(forLocalAccountID: World.adaAtFabrikam, tenantID: Directory.contoso.id)
                    == nil)
        },
        ConformanceRow(when: "a username that is empty", then: "an error") { world in
            let application = try world.made()
            for empty in ["", "  "] {
                let refused = await failure { () throws(Failure) in try await application.account(forUsername: empty) }
                #expect(refused?.code == .usage)
            }
        },
        ConformanceRow(when: "nobody has the identifier or name", then: "nil, no error") { world in
            try world.seed { _ in }
            let application = try world.made()
            #expect(try await application.account(forIdentifier: "nobody") == nil)
            #expect(try await application.account(forUsername: "nobody@contoso.example") == nil)
            // The Kelvin sign is no k, and a part of a name is no name.
            #expect(try await application.account(forUsername: "ada@contoso") == nil)
        },
        ConformanceRow(given: "one person under two names of a cloud", when: "allAccounts", then: "one account") {
            world in
            try world.seed { $0.environment = "login.windows.net" }
            try world.seed { $0.environment = "login.microsoftonline.com" }
            #expect(try await world.made("https://login.microsoftonline.com/organizations").allAccounts().count == 1)
        },
        ConformanceRow(
            given: "accounts of two clouds", when: "currentAccount",
            then: "the one of the application's cloud, which a silent call takes"
        ) { world in
            try world.seed { _ in }
            try world.seed { $0.environment = "login.microsoftonline.us" }
            let application = try world.made()
            #expect(try await application.currentAccount()?.environment == "127.0.0.1")
            #expect(await application.silent().token?.account.environment == "127.0.0.1")
        },
        ConformanceRow(
            given: "several accounts of one name", then: "ambiguous, with the identifiers; no hint makes one win"
        ) {
            world in
            try world.seed { _ in }
            try world.seed { $0.homeAccountID = "another." + Directory.contoso.id }
            let application = try world.made()
            let several = await failure { () throws(Failure) in
                try await application.account(forUsername: "ada@contoso.example")
            }
            #expect(several?.code == .ambiguous && several?.hint?.description.contains(World.ada) == true)
            #expect(await application.silent().code == .ambiguous)
            // Until one is made the current one.
            try await application.makeCurrent(try await application.account(forIdentifier: World.ada))
            #expect(await application.silent().token?.account.homeAccountID == World.ada)
            #expect(try await application.currentAccount()?.homeAccountID == World.ada)
        },
        ConformanceRow(
            given: "a tenant learnt by name", when: "the account is signed out", then: "the map is empty"
        ) { world in
            try world.seed { $0.tenantName = "Contoso.example" }
            let id = AccountID(homeAccountID: World.ada, environment: "127.0.0.1")
            #expect(
                try world.snapshot().tenant(named: "contoso.EXAMPLE", of: id, clientID: Directory.tryOut)
                    == Directory.contoso.id)
            _ = try world.cache.forget(id, clientID: Directory.tryOut)
            #expect(try world.snapshot().tenant(named: "contoso.example", of: id, clientID: Directory.tryOut) == nil)
        },
        ConformanceRow(
            given: "the application's authority is common", then: "the home tenant's; a concrete tenant is kept"
        ) {
            world in
            try world.seed { _ in }
            let common = try await world.made(world.provider.authority("common")).silent().token
            #expect(common?.authority.tenant == Directory.contoso.id)
            let other = try await world.made(world.provider.authority(Directory.fabrikam.id)).silent()
            #expect(other.code == .interactionRequired)
        },
        ConformanceRow(
            given: "a personal account", when: "common, consumers, organizations", then: "home, home, nowhere"
        ) { world in
            try world.seed("alan@personal.example") {
                $0.homeAccountID = "00000000-0000-0000-a1a2-000000000001." + Directory.personal.id
                $0.realm = Directory.personal.id
                $0.environment = "login.windows.net"
            }
            for (tenant, source) in [
                ("common", AcquiredToken.Source?.some(.cache)), ("consumers", .cache), ("organizations", nil),
            ] {
                #expect(try await world.made("https://login.microsoftonline.com/" + tenant).silent().source == source)
            }
        },
        ConformanceRow(
            given: "a signed-in person", when: "remove",
            then: "gone from allAccounts, marked as signed out while others hold it"
        ) { world in
            let application = try world.made()
            let account = try await world.signIn(application).account
            #expect(try await application.remove(account) > 0)
            #expect(try await application.allAccounts().isEmpty)
            #expect(try !world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut))
            #expect(try await application.accounts(AccountQuery(returnOnlySignedIn: false)).isEmpty)
            try await world.signIn(application)
            try await world.signIn(world.made(client: Directory.azureCLI))
            #expect(try await application.remove(account) > 0)
            #expect(try await application.allAccounts().isEmpty)
            #expect(try world.snapshot().isSignedOut(account.id, clientID: Directory.tryOut))
        },
        ConformanceRow(
            when: "an unknown person is removed; the store cannot be written", then: "no error; storeError"
        ) { world in
            let stranger = Account(homeAccountID: "nobody", environment: "127.0.0.1", username: "", origin: .adal)
            let application = try world.made()
            #expect(try await application.remove(stranger) == 0)
            try world.seed { _ in }
            try Data(#"["somebody else's"]"#.utf8).write(to: URL(fileURLWithPath: world.store))
            let refused = await failure { () throws(Failure) in try await application.remove(stranger) }
            #expect(refused?.code == .storeError)
        },
        ConformanceRow(when: "identities are compared", then: "by identifier and cloud, never by name") { _ in
            let one = AccountID(homeAccountID: "a.b", environment: "login.windows.net")
            #expect(one.isSamePerson(as: AccountID(homeAccountID: "a.b", environment: "login.microsoftonline.com")))
            #expect(!one.isSamePerson(as: AccountID(homeAccountID: "a.b", environment: "login.microsoftonline.us")))
            #expect(!one.isSamePerson(as: AccountID(homeAccountID: "A.b", environment: "login.windows.net")))
        },
    ]

    static let others: [ConformanceRow] = [
        ConformanceRow(
            given: "metadata without a token endpoint, or with one of another cloud", then: "refused, both"
        ) { world in
            for endpoint in [JSON.null, "https://login.microsoftonline.us/common/oauth2/v2.0/token"] {
                world.provider.bend(
                    Fault(.override([JSON.Member(name: "token_endpoint", value: endpoint)]), endpoint: "discovery"))
                try world.seed {
                    $0.accessToken = nil
                    $0.refreshToken = Secret("never sent")
                }
                let application = try world.made()
                #expect(await application.silent().refusal != nil && world.refreshes == 0)
                await application.close()
                world.provider.clearFaults()
            }
        },
        ConformanceRow(
            when: "failures are translated", then: "each keeps its code; none collapses into an internal one"
        ) { _ in
            let codes = ["invalid_client", "invalid_grant", "temporarily_unavailable", "access_denied"].map {
                Failure(OAuthError(error: $0)).code
            }
            #expect(codes == [.serverError, .interactionRequired, .unavailable, .cancelled])
        },
        ConformanceRow(when: "access_denied", then: "cancelled, with the provider's words") { _ in
            let failure = Failure(OAuthError(error: "access_denied", suberror: "tts_denied"))
            #expect(
                failure.code == .cancelled && failure.oauthError == "access_denied" && failure.suberror == "tts_denied")
        },
        ConformanceRow(
            given: "claims, and the provider wants a person", when: "silent first",
            then: "the access token is passed over, then a person"
        ) { world in
            let application = try world.made()
            try await world.signIn(application)
            world.refuse("interaction_required")
            let asked = Mutex(0)
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(
                    World.wish.with { $0.claims = #"{"access_token":{"nbf":{"essential":true}}}"# },
                    userAgents: .deviceCodeOnly
                ) { event in
                    guard case .deviceCode(let prompt) = event else { return }
                    asked.withLock { $0 += 1 }
                    try? world.provider.approve(userCode: prompt.userCode, username: "ada@contoso.example", deny: true)
                }
            }
            #expect(world.refreshes == 1 && asked.withLock { $0 } == 1 && refused?.code == .cancelled)
            await application.close()
        },
        ConformanceRow(given: "nobody is named; one, then two are there", then: "the token, then ambiguous") {
            world in
            try world.seed { _ in }
            #expect(try await world.made().silent().source == .cache)
            try world.seed("taro@contoso.example") { $0.homeAccountID = "taro." + Directory.contoso.id }
            #expect(try await world.made().silent().code == .ambiguous)
        },
        ConformanceRow(
            given: "a rejected refresh token", when: "silent, silent",
            then: "the second fails without the network"
        ) {
            world in
            let application = try world.made()
            try await world.expired(application)
            for error in ["bad_token", nil] {
                world.refuse("invalid_grant", error)
                #expect(await application.silent().code == .interactionRequired)
                let asked = world.refreshes
                #expect(await application.silent().code == .interactionRequired && world.refreshes == asked)
                world.provider.clearFaults()
                try await world.expired(application)
            }
            await application.close()
        },
        ConformanceRow(
            when: "429 with Retry-After, and the same request again",
            then: "no request; never for longer than the cap"
        ) { world in
            let application = try world.made()
            try await world.expired(application)
            world.bend(.status(429, retryAfter: 1_000_000))
            #expect(await application.silent().code == .unavailable)
            #expect(await application.silent().code == .unavailable && world.refreshes == 1)
            try world.advance(4501)
            world.provider.clearFaults()
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(given: "a person is needed", when: "again; after a sign-in", then: "not sent; sent") {
            world in
            let application = try world.made()
            try await world.expired(application)
            world.refuse("interaction_required", "basic_action", codes: [50079])
            #expect(await application.silent().code == .interactionRequired && world.refreshes == 1)
            let again = await application.silent().refusal
            #expect(again?.code == .interactionRequired && again?.serverCodes == [50079] && world.refreshes == 1)
            // Another request is another question.
            #expect(
                await application.silent(TokenRequest(scopes: ["Mail.Read"])).code == .interactionRequired
                    && world.refreshes == 2)
            world.provider.clearFaults()
            try await world.expired(application)
            #expect(await application.silent().source == .refresh)
            await application.close()
        },
        ConformanceRow(when: "a refusal, and a passing failure", then: "the tokens are untouched by either") {
            world in
            let application = try world.made()
            try await world.expired(application)
            let before = try world.snapshot().credentials()
            world.refuse("invalid_grant", times: 1)
            #expect(await application.silent().code == .interactionRequired)
            try world.advance(121)
            world.bend(.cutOff)
            #expect(await application.silent().code == .unavailable)
            #expect(try world.snapshot().credentials() == before)
            await application.close()
        },
        ConformanceRow(
            given: "an end far away, past, forced, none", then: "fresh, not, not, and never without an end"
        ) {
            (world: World) async throws in
            func isFresh(_ end: Date?) -> Bool {
                CachedCredential(
                    id: "", kind: .accessToken, clientID: "", homeAccountID: nil, environment: "", secret: Secret(""),
                    expiresOn: end
                )
                .isFresh(at: world.time)
            }
            #expect(
                isFresh(world.time.addingTimeInterval(4000)) && !isFresh(world.time.addingTimeInterval(-1))
                    && !isFresh(nil))
        },
    ]
}
