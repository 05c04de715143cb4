import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import Testing
import TokenCache
import Waiting

@testable import Sandbox

/// An account, its tokens and its key belong to the whole issuer: scheme, host, port and path. Everybody here has the
/// same subject and client everywhere.
@Suite(.timeLimit(.minutes(Waiting.minutes))) struct IssuerTests {
    private static let person = "hedy@lab.example"
    private static let wish = TokenRequest(scopes: ["openid", "profile"])

    /// Three issuers of one host: two paths, and another port.
    private static func open(_ body: (World, _ other: SandboxProvider) async throws -> Void) async throws {
        try await World.open { world in
            var options = SandboxProvider.Options()
            options.deviceInterval = 0
            let other = try await SandboxProvider.start(options)
            do { try await body(world, other) } catch {
                await other.stop()
                throw error
            }
            #expect(world.provider.misplacedTokens == [] && other.misplacedTokens == [])
            await other.stop()
        }
    }

    private static func application(_ world: World, _ issuer: String, bound: Bool = false) throws
        -> PublicClientApplication
    {
        var configuration = PublicClientApplication.Configuration(
            clientID: Directory.labCLI, authority: try Authority(issuer, kind: .oidc), store: world.store,
            network: .patient)
        configuration.proofOfPossession = bound
        return PublicClientApplication(configuration)
    }

    @discardableResult
    private static func signIn(_ world: World, at issuer: String, of provider: SandboxProvider, bound: Bool = false)
        async throws
        -> AcquiredToken
    {
        let application = try application(world, issuer, bound: bound)
        let token = try await application.acquireToken(
            TokenRequest(scopes: ["openid", "profile", "offline_access"], method: .device), userAgents: .deviceCodeOnly
        ) { event in
            if case .deviceCode(let prompt) = event {
                try? provider.approve(userCode: prompt.userCode, username: person)
            }
        }
        await application.close()
        return token
    }

    private static func silent(_ world: World, at issuer: String, bound: Bool = false, _ request: TokenRequest = wish)
        async throws
        -> Result<AcquiredToken, Failure>
    {
        let application = try application(world, issuer, bound: bound)
        let result: Result<AcquiredToken, Failure>
        do throws(Failure) { result = .success(try await application.acquireTokenSilent(request)) } catch {
            result = .failure(error)
        }
        await application.close()
        return result
    }

    private static func renewed(_ world: World, at issuer: String, bound: Bool = false) async throws -> Result<
        AcquiredToken, Failure
    > {
        try await silent(world, at: issuer, bound: bound, wish.with { $0.forceRefresh = true })
    }

    private static func signOut(_ world: World, at issuer: String, account: Account? = nil) async throws
        -> SignOutOutcome
    {
        let application = try application(world, issuer)
        let known = try await application.allAccounts().first { $0.issuer == issuer }
        let outcome = try await application.signOut(
            try #require(account ?? known),
            options: SignOutOptions(revokesAccessTokens: true, endsBrowserSession: false),
            userAgents: .deviceCodeOnly)
        await application.close()
        return outcome
    }

    /// The store as this program, or MSAL, wrote it when nobody kept the issuer.
    private static func forgetIssuers(
        _ world: World,
        sections: Set<String> = ["AccessToken", "RefreshToken", "IdToken", "Account", "AccountMetadata"]
    ) throws {
        let url = URL(filePath: world.store)
        let root = try JSONValue(parsing: Array(Data(contentsOf: url)))
        let members = (root.object?.members ?? []).map { section -> JSONMember in
            guard sections.contains(section.name), let entries = section.value.object else { return section }
            let without = entries.members.map { entry -> JSONMember in
                guard let fields = entry.value.object else { return entry }
                return JSONMember(
                    name: entry.name,
                    value: .object(
                        JSONObject(
                            fields.members.filter {
                                !["issuer", "kid"].contains($0.name)
                                    || (section.name == "AccessToken" && $0.name == "kid")
                            })))
            }
            return JSONMember(name: section.name, value: .object(JSONObject(without)))
        }
        try Data(JSONValue.object(JSONObject(members)).serialized().utf8).write(to: url)
    }

    private static func remove(section: String, _ world: World) throws {
        let url = URL(filePath: world.store)
        let root = try JSONValue(parsing: Array(Data(contentsOf: url)))
        let members = (root.object?.members ?? []).filter { $0.name != section }
        try Data(JSONValue.object(JSONObject(members)).serialized().utf8).write(to: url)
    }

    @Test func `Where nobody signed in, another port's or path's sign-in is not served, refreshed or revoked`()
        async throws
    {
        try await Self.open { world, other in
            let here = world.provider.issuer(named: "a")
            try await Self.signIn(world, at: here, of: world.provider)
            for (elsewhere, provider) in [
                (world.provider.issuer(named: "b"), world.provider), (other.issuer(named: "a"), other),
                (other.issuer, other),
            ] {
                #expect(try await Self.silent(world, at: elsewhere).code == .interactionRequired)
                #expect(try await Self.renewed(world, at: elsewhere).code == .interactionRequired)
                let account = try #require(try world.snapshot().accounts().first)
                #expect(account.issuer == here)
                let named = try await Self.silent(
                    world, at: elsewhere,
                    Self.wish.with {
                        $0.account = account; $0.forceRefresh = true
                    })
                #expect(
                    named.failure?.message.contains(here) == true,
                    "which provider it is of is said, with scheme, port and path")
                #expect(named.failure?.message.contains(elsewhere) == true)
                #expect(provider.requests("token:refresh_token") == 0 && provider.requests("revoke") == 0)
            }
            let account = try #require(try world.snapshot().accounts().first)
            let before = try world.snapshot().credentials(clientID: nil).count
            await #expect {
                _ = try await Self.signOut(world, at: other.issuer(named: "a"), account: account)
            } throws: {
                guard let failure = $0 as? Failure else { return false }
                return failure.code == .notFound && failure.message.contains(here)
                    && failure.message.contains(other.issuer(named: "a"))
            }
            #expect(try world.snapshot().credentials(clientID: nil).count == before)
            #expect(other.requests("revoke") == 0 && world.provider.requests("revoke") == 0)
        }
    }

    @Test func `Homonyms at three issuers of one host keep a sign-in each, and one leaves without the others`()
        async throws
    {
        try await Self.open { world, other in
            let places = [
                (world.provider.issuer(named: "a"), world.provider),
                (world.provider.issuer(named: "b"), world.provider),
                (other.issuer(named: "a"), other),
            ]
            for (issuer, provider) in places { try await Self.signIn(world, at: issuer, of: provider) }
            #expect(
                try world.snapshot().accounts(clientID: Directory.labCLI).compactMap(\.issuer).sorted()
                    == places.map(\.0).sorted())
            #expect(try world.refreshTokens().count == 3)
            for (issuer, _) in places {
                let token = try await Self.renewed(world, at: issuer)
                #expect(token.source == .refresh && token.claims["iss"] == issuer)
                #expect(try await Self.silent(world, at: issuer).source == .cache)
            }
            let (first, _) = places[0]
            #expect(try await Self.signOut(world, at: first).revoked == .done)
            #expect(try await Self.silent(world, at: first).code == .interactionRequired)
            for (issuer, _) in places.dropFirst() {
                #expect(try await Self.renewed(world, at: issuer).source == .refresh)
            }
            #expect(
                try CacheInventory(world.snapshot(), at: Date()).leftovers.isEmpty,
                "nobody's token is taken for an orphan")
        }
    }

    @Test func `The account that a client takes when none is named is of its issuer`() async throws {
        try await Self.open { world, other in
            try await Self.signIn(world, at: world.provider.issuer(named: "a"), of: world.provider)
            try await Self.signIn(world, at: other.issuer(named: "a"), of: other)
            let application = try Self.application(world, other.issuer(named: "a"))
            let account = try #require(
                try await application.allAccounts().first { $0.issuer == other.issuer(named: "a") })
            try await application.makeCurrent(account)
            #expect(try await application.currentAccount()?.issuer == other.issuer(named: "a"))
            await application.close()
        }
    }

    @Test func `The current account is the one that a silent call takes, of several issuers`() async throws {
        try await Self.open { world, other in
            let places = [
                (world.provider.issuer(named: "a"), world.provider), (other.issuer(named: "a"), other),
            ]
            for (issuer, provider) in places { try await Self.signIn(world, at: issuer, of: provider) }
            for (issuer, _) in places {
                let application = try Self.application(world, issuer)
                let token = try await application.acquireTokenSilent(Self.wish)
                #expect(token.account.issuer == issuer)
                #expect(try await application.currentAccount()?.id == token.account.id)
                await application.close()
            }
            let nobody = try Self.application(world, world.provider.issuer(named: "b"))
            #expect(try await nobody.currentAccount() == nil)
        }
    }

    // MARK: Entries that name no issuer

    @Test func `A store of before goes on without a new sign-in, at its own issuer and nowhere else`() async throws {
        try await Self.open { world, other in
            let here = world.provider.issuer(named: "a")
            for bound in [false, true] {
                try await Self.signIn(world, at: here, of: world.provider, bound: bound)
                try Self.forgetIssuers(world)
                for elsewhere in [world.provider.issuer(named: "b"), other.issuer(named: "a")] {
                    #expect(try await Self.renewed(world, at: elsewhere, bound: bound).code == .interactionRequired)
                    #expect(try await Self.silent(world, at: elsewhere, bound: bound).code == .interactionRequired)
                }
                #expect(try await Self.silent(world, at: here, bound: bound).source == .cache)
                #expect(try await Self.renewed(world, at: here, bound: bound).source == .refresh)
            }
        }
    }

    @Test func `An entry that names no issuer serves where its host has one alone, and nowhere once two are known`()
        async throws
    {
        try await Self.open { world, other in
            let (here, elsewhere) = (world.provider.issuer(named: "a"), other.issuer(named: "a"))
            try await Self.signIn(world, at: here, of: world.provider)
            try Self.forgetIssuers(world)
            // Without an ID token nothing in the store tells whose it is.
            try Self.remove(section: "IdToken", world)
            #expect(try await Self.renewed(world, at: here).source == .refresh)
            // Now the store knows: one homonym more, and what does not say its issuer is anybody's.
            try await Self.signIn(world, at: elsewhere, of: other)
            #expect(try await Self.renewed(world, at: here).source == .refresh, "it said its issuer since the refresh")
            try Self.forgetIssuers(world, sections: ["RefreshToken", "AccessToken"])
            #expect(try await Self.renewed(world, at: here).code == .interactionRequired)
            #expect(try await Self.renewed(world, at: elsewhere).code == .interactionRequired)
        }
    }

    @Test func `A homonym of before is told whose it is before a second issuer's sign-in comes beside it`() async throws
    {
        try await Self.open { world, other in
            let (here, elsewhere) = (world.provider.issuer(named: "a"), other.issuer(named: "a"))
            try await Self.signIn(world, at: here, of: world.provider)
            try Self.forgetIssuers(world)
            try await Self.signIn(world, at: elsewhere, of: other)
            #expect(try await Self.renewed(world, at: here).source == .refresh)
            #expect(try await Self.renewed(world, at: elsewhere).source == .refresh)
        }
    }

    // MARK: Keys

    @Test func `A bound sign-in that cannot be stored leaves the one before as it was, and no key behind`() async throws
    {
        try await Self.open { world, _ in
            let issuer = world.provider.issuer(named: "a")
            try await Self.signIn(world, at: issuer, of: world.provider, bound: true)
            let url = URL(filePath: world.store)
            let before = try Data(contentsOf: url)
            let keys = try Data(contentsOf: URL(filePath: world.store + ".keys"))
            let application = try Self.application(world, issuer, bound: true)
            let failure = await failure { () throws(Failure) in
                try await application.acquireToken(
                    TokenRequest(scopes: ["openid", "profile", "offline_access"], method: .device),
                    userAgents: .deviceCodeOnly
                ) { [provider = world.provider] event in
                    guard case .deviceCode(let prompt) = event else { return }
                    try? Data("{\"broken\":".utf8).write(to: url)
                    try? provider.approve(userCode: prompt.userCode, username: Self.person)
                }
            }
            await application.close()
            #expect(failure?.code == .storeError)
            try before.write(to: url)
            #expect(try Data(contentsOf: URL(filePath: world.store + ".keys")) == keys)
            #expect(try await Self.renewed(world, at: issuer, bound: true).source == .refresh)
        }
    }

    @Test func `Of several bound sign-ins one bound token and one key stay, and a bearer sign-in takes both away`()
        async throws
    {
        try await Self.open { world, _ in
            let issuer = world.provider.issuer(named: "a")
            func tokens() throws -> [CachedCredential] {
                try world.snapshot().credentials().filter { $0.kind == .accessToken }
            }
            func keys() throws -> Int {
                try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: world.store + ".keys"))))["keys"]?.array?
                    .count ?? 0
            }
            for _ in 0..<3 {
                let token = try await Self.signIn(world, at: issuer, of: world.provider, bound: true)
                #expect(try tokens().map(\.secret) == [token.accessToken])
                #expect(try keys() == 1)
            }
            #expect(
                try world.snapshot().credentials().filter { $0.kind == .refreshToken }.map(\.keyID)
                    == tokens().map(\.keyID))
            let token = try await Self.signIn(world, at: issuer, of: world.provider)
            #expect(try tokens().map(\.secret) == [token.accessToken])
            #expect(try keys() == 0)
            #expect(try await Self.renewed(world, at: issuer).tokenType == "Bearer")
        }
    }

    @Test func `A bound refresh token goes with its proof, whatever the settings wish by now`() async throws {
        try await Self.open { world, _ in
            let issuer = world.provider.issuer(named: "a")
            try await Self.signIn(world, at: issuer, of: world.provider, bound: true)
            for _ in 0..<2 {
                let token = try await Self.renewed(world, at: issuer, bound: false)
                #expect(token.source == .refresh && token.tokenType == "DPoP")
            }
            // Of before, when the entry of a refresh token did not name its key.
            try Self.forgetIssuers(world)
            #expect(try await Self.renewed(world, at: issuer, bound: false).source == .refresh)
            // Without the key it is not sent at all.
            let count = world.provider.requests("token:refresh_token")
            try FileManager.default.removeItem(atPath: world.store + ".keys")
            #expect(try await Self.renewed(world, at: issuer, bound: false).code == .interactionRequired)
            #expect(world.provider.requests("token:refresh_token") == count)
        }
    }

    // MARK: Everything at once

    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }

    private enum Deed: CaseIterable {
        case signIn, boundSignIn, token, boundToken, refresh, boundRefresh, signOut, remove
    }

    @Test
    func
        `Two hundred random deeds at three issuers in one store: no token comes to the wrong place, and no sign-in is lost`()
        async throws
    {
        try await Self.open { world, other in
            var dice = Dice(state: 20_240_607)
            let places = [
                (world.provider.issuer(named: "a"), world.provider),
                (world.provider.issuer(named: "b"), world.provider),
                (other.issuer(named: "a"), other),
            ]
            var signedIn: Set<String> = []
            for number in 0..<200 {
                let (issuer, provider) = places[Int.random(in: 0..<3, using: &dice)]
                let deed = Deed.allCases.randomElement(using: &dice) ?? .token
                let word: Comment = "\(number): \(deed) at \(issuer)"
                let isBound = [.boundSignIn, .boundToken, .boundRefresh].contains(deed)
                switch deed {
                case .signIn, .boundSignIn:
                    let token = try await Self.signIn(world, at: issuer, of: provider, bound: isBound)
                    #expect(token.tokenType == (isBound ? "DPoP" : "Bearer"), word)
                    signedIn.insert(issuer)
                case .token, .boundToken, .refresh, .boundRefresh:
                    let isForced = deed == .refresh || deed == .boundRefresh
                    let answer = try await Self.silent(
                        world, at: issuer, bound: isBound, Self.wish.with { $0.forceRefresh = isForced })
                    guard signedIn.contains(issuer) else {
                        #expect(answer.code == .interactionRequired, word)
                        break
                    }
                    #expect(answer.source == (isForced ? .refresh : .cache), word)
                    #expect(answer.claims["iss"] == issuer, word)
                case .signOut where signedIn.contains(issuer):
                    let outcome = try await Self.signOut(world, at: issuer)
                    #expect(outcome.revoked == .done && outcome.removed == .done, word)
                    signedIn.remove(issuer)
                case .remove where signedIn.contains(issuer):
                    let application = try Self.application(world, issuer)
                    let account = try #require(try await application.allAccounts().first { $0.issuer == issuer }, word)
                    #expect(try await application.remove(account) > 0, word)
                    await application.close()
                    signedIn.remove(issuer)
                case .signOut, .remove: break
                }
                #expect(
                    Set(try world.snapshot().accounts(clientID: Directory.labCLI).compactMap(\.issuer)) == signedIn,
                    word)
                #expect(provider.misplacedTokens == [], word)
            }
        }
    }
}

extension Result<AcquiredToken, Failure> {
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
    fileprivate var tokenType: String? { (try? get())?.tokenType }
    fileprivate var claims: [String: String] {
        guard let claims = (try? get())?.idTokenClaims.claims, let issuer = claims.string("iss") else { return [:] }
        return ["iss": issuer]
    }
}
