import FoundationEssentials
import Glibc
import Identity
import SilentCore
import SilentFirst
import Synchronization
import Testing
import Wire

@testable import Sandbox
@testable import SilentFirst
@testable import TokenCache

/// What becomes of a sign-in when a refresh at a provider that rotates ends otherwise than it should.
@Suite struct UnfinishedRefreshTests {
    private static let request = TokenRequest(scopes: ["openid", "profile"])
    private static let offline: ScopeSet = ["openid", "profile", "offline_access"]

    private static func application(
        _ world: World, at base: String? = nil, refreshes: RefreshesUnderWay = RefreshesUnderWay()
    ) throws
        -> PublicClientApplication
    {
        let configuration = PublicClientApplication.Configuration(
            clientID: Directory.labCLI,
            authority: try Authority(base.map { $0 + "/oidc" } ?? world.provider.issuer, kind: .oidc),
            store: world.store, network: .patient)
        return PublicClientApplication(
            configuration, cache: world.cache, provider: Provider(configuration.network, refreshes: refreshes),
            now: { world.time })
    }

    @Test func `Closing the connections while a refresh is under way waits for its answer`() async throws {
        try await World.open { world in
            let held = Mutex<PublicClientApplication?>(nil)
            try await world.withProxy { asked in
                guard asked.fields["grant_type"] == "refresh_token", let application = held.withLock({ $0 }) else {
                    return nil
                }
                let closed = Closed()
                Task {
                    await application.close()
                    closed.signal()
                }
                // The provider takes its time: whoever does not wait has closed everything by then.
                closed.wait(milliseconds: 300)
                return nil
            } _: { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                held.withLock { $0 = application }
                try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
                let before = try world.refreshTokens()
                try world.advance(4000)
                #expect(await application.silent(Self.request).source == .refresh)
                #expect(try world.refreshTokens() != before)
                try world.advance(4000)
                held.withLock { $0 = nil }
                #expect(await application.silent(Self.request).source == .refresh)
                await application.close()
            }
        }
    }

    @Test func `Once the process is about to end no refresh token is sent any more`() async throws {
        try await World.open { world in
            let refreshes = RefreshesUnderWay()
            let application = try Self.application(world, refreshes: refreshes)
            try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
            try world.advance(4000)
            refreshes.refuseMore()
            #expect(await application.silent(Self.request).code == .cancelled)
            #expect(world.refreshes == 0)
            await application.close()
        }
    }

    @Test func `What waits for the last refresh is done when it is stored, and at once when there is none`() async {
        let refreshes = RefreshesUnderWay()
        let done = Mutex(0)
        refreshes.whenStored { done.withLock { $0 += 1 } }
        #expect(done.withLock { $0 } == 1)
        #expect(refreshes.begin() && refreshes.begin() && !refreshes.isEmpty)
        refreshes.whenStored { done.withLock { $0 += 1 } }
        refreshes.end()
        #expect(done.withLock { $0 } == 1)
        refreshes.end()
        #expect(done.withLock { $0 } == 2 && refreshes.isEmpty)
        await refreshes.stored()
    }

    // MARK: Keys

    @Test func `Two refreshes at once, while the provider changes its key, both end well`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let people = [
                try await world.signIn(application, "hedy@lab.example", scopes: Self.offline).account,
                try await world.signIn(application, "emmy@lab.example", scopes: Self.offline).account,
            ]
            try world.advance(4000)
            try world.provider.rotateKeys()
            await withTaskGroup(of: Result<AcquiredToken, Failure>.self) { group in
                for account in people {
                    group.addTask { await application.silent(Self.request.with { $0.account = account }) }
                }
                for await result in group {
                    #expect(result.source == .refresh, "\(String(describing: result.refusal?.message))")
                }
            }
            await application.close()
        }
    }

    @Test(arguments: [Fault.Kind.status(503, retryAfter: nil), .status(404, retryAfter: nil), .html])
    func `Keys that cannot be had take the access token away, and not the sign-in`(kind: Fault.Kind) async throws {
        try await World.open { world in
            let application = try Self.application(world)
            try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
            try world.advance(4000)
            try world.provider.rotateKeys()
            world.provider.bend(Fault(kind, endpoint: "keys"))
            #expect(await application.silent(Self.request).token == nil)
            world.provider.clearFaults()
            #expect(await application.silent(Self.request).source == .refresh)
            await application.close()
        }
    }

    @Test func `A key that the provider has not published yet is no wrong signature`() async throws {
        try await World.open { world in
            let keys = Mutex<SandboxResponse?>(nil)
            try await world.withProxy { asked in
                asked.path.hasSuffix("/jwks") ? keys.withLock { $0 } : nil
            } _: { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
                try world.advance(4000)
                let published = SandboxResponse(
                    status: 200, headers: [("Content-Type", "application/json")], body: #"{"keys":[]}"#)
                keys.withLock { $0 = published }
                try world.provider.rotateKeys()
                #expect(await application.silent(Self.request).code == .untrustedResponse)
                keys.withLock { $0 = nil }
                #expect(await (try Self.application(world, at: proxy.baseURL)).silent(Self.request).source == .refresh)
                await application.close()
            }
        }
    }

    @Test func `A refreshed ID token with another nonce than the sign-in's is refused`() async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let issued = try world.provider.issue(
                username: "hedy@lab.example", client: Directory.labCLI, scope: "openid profile offline_access",
                nonce: "n-of-the-sign-in")
            let first = try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
            let idToken = try #require(issued["id_token"]?.string)
            try world.cache.save(
                TokenRecord(
                    clientID: Directory.labCLI, homeAccountID: first.account.homeAccountID,
                    environment: first.account.environment, issuer: first.account.id.issuer,
                    realm: first.account.tenantProfiles.first?.tenantID ?? "",
                    localAccountID: first.account.homeAccountID,
                    username: first.account.username, cachedAt: world.time, isEntra: false, idToken: Secret(idToken),
                    createsAccount: false))
            try world.advance(4000)
            world.provider.bend(Fault(.idToken(.wrongNonce), endpoint: "token:refresh_token"))
            let refused = await application.silent(Self.request).refusal
            #expect(
                refused?.code == .untrustedResponse && refused?.message.contains("nonce") == true,
                "\(String(describing: refused))")
            world.provider.clearFaults()
            #expect(await application.silent(Self.request).source == .refresh)
            await application.close()
        }
    }

    // MARK: Answers that are not as they should be

    @Test(arguments: [
        ("expires_in", JSON.int(0)), ("expires_in", .int(-5)), ("expires_in", "soon"), ("scope", .strings(["openid"])),
    ])
    func `An answer that cannot be used costs the access token, and not the sign-in`(member: String, value: JSON)
        async throws
    {
        try await World.open { world in
            let application = try Self.application(world)
            try await world.signIn(application, "hedy@lab.example", scopes: Self.offline)
            try world.advance(4000)
            world.override([(member, value)])
            let refused = await application.silent(Self.request).refusal
            #expect(
                refused?.code == .untrustedResponse
                    && refused?.hint?.description.contains("the sign-in is kept") == true)
            world.provider.clearFaults()
            #expect(await application.silent(Self.request).source == .refresh)
            await application.close()
        }
    }

    @Test func `An error beside an access token is a refusal, and a 403 without one is none`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            world.override([("error", "interaction_required")])
            #expect(await application.silent().refusal?.oauthError == "interaction_required")
            world.provider.clearFaults()
            try world.advance(200)
            world.bend(.status(403, retryAfter: nil))
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(World.wish, userAgents: person.userAgents)
            }
            #expect(refused?.code == .untrustedResponse && person.count == 0)
            world.provider.clearFaults()
            #expect(await application.silent().source == .refresh)
            await application.close()
        }
    }

    // MARK: Short lives

    @Test(arguments: [(300, 269, 271), (60, 53, 55), (3600, 3299, 3301)])
    func `Outside Entra ID a tenth of its life is left of a token that is handed out`(
        lifetime: Int, fresh: Int, due: Int
    ) async throws {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "expires_in", value: .int(lifetime))]), endpoint: "token"))
            let application = try Self.application(world)
            let end = try await world.signIn(application, "hedy@lab.example", scopes: Self.offline).expiresOn
            func ask(_ secondsIn: Int) async throws -> AcquiredToken.Source? {
                let now = end.addingTimeInterval(TimeInterval(secondsIn - lifetime))
                let application = PublicClientApplication(
                    application.configuration, cache: world.cache,
                    provider: Provider(application.configuration.network), now: { now })
                defer { Task { await application.close() } }
                return await application.silent(Self.request).source
            }
            #expect(try await ask(1) == .cache)
            #expect(try await ask(fresh) == .cache)
            #expect(try await ask(due) == .refresh)
        }
    }

    @Test func `Entra ID's tokens keep MSAL's five minutes`() {
        func token(_ home: String, lifetime: TimeInterval, left: TimeInterval) -> Bool {
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            return CachedCredential(
                id: "", kind: .accessToken, clientID: "c", homeAccountID: home, environment: "host", realm: "",
                scopes: [],
                secret: Secret("a"), tokenType: "Bearer", cachedAt: now.addingTimeInterval(left - lifetime),
                expiresOn: now.addingTimeInterval(left), extendedExpiresOn: nil, refreshOn: nil, familyID: nil
            ).isFresh(at: now)
        }
        #expect(!token(World.ada, lifetime: 300, left: 299) && token(World.ada, lifetime: 3600, left: 301))
        #expect(token("hedy", lifetime: 300, left: 31) && !token("hedy", lifetime: 300, left: 29))
        #expect(!token("hedy", lifetime: 36_000, left: 299) && !token("hedy", lifetime: 0, left: 0 - 1))
    }

    // MARK: A provider that hangs

    @Test(arguments: [true, false])
    func `Who waited while the provider was not reached takes that for the answer`(forced: Bool) async throws {
        try await World.open { world in
            let application = try Self.application(world)
            let account = try await world.signIn(application, "hedy@lab.example", scopes: Self.offline).account
            try world.advance(4000)
            let waiting = AsyncStream.makeStream(of: Void.self)
            let wish = Self.request.with { $0.forceRefresh = forced }
            let key = "\(account.homeAccountID) \(account.id.home) \(Directory.labCLI)"
            let lock = try await RefreshLock.acquire(world.cache, key: key, timeout: .zero)
            let call = Task {
                await failure { () throws(Failure) in
                    try await application.acquireTokenSilent(wish) { step in
                        if step.name == .lock, step.outcome == .skipped { waiting.continuation.yield() }
                    }
                }
            }
            for await _ in waiting.stream { break }
            // What the holder found when it asked.
            Throttle(
                application.cached.cache, clientID: application.configuration.clientID,
                now: application.cached.now,
                StepRecorder { _ in }
            ).note(WireError.timedOut(host: "x"), metadataOf: application.configuration.authority)
            lock.release()
            let refused = await call.value
            #expect(refused?.code == .unavailable && refused?.message.contains("is unreachable") == true)
            #expect(world.refreshes == 0)
            // Who comes later asks.
            try world.advance(2)
            #expect(await application.silent(wish).source == .refresh)
            await application.close()
        }
    }

    @Test func `A refresh that takes too long is no fault of the store`() {
        let failure = Failure(refreshLock: StoreError(.locked(pid: 7, name: "foyer"), path: "/store"))
        #expect(failure.code == .unavailable && failure.code.exitStatus == 6)
        #expect(failure.hint == .checkProvider && !failure.message.contains("rm "))
        #expect(Failure(refreshLock: StoreError(.readOnly, path: "/store")).code == .storeError)
        #expect(Failure(refreshLock: StoreError(.cancelled, path: "/store")).code == .cancelled)
    }

    // MARK: Lookups

    @Test func `The first refusal of a family's token keeps what the provider said`() async throws {
        try await World.open { world in
            let account = try await world.signIn(world.application(Directory.azureCLI)).account
            let outsider = try world.application()
            let refused = await failure { () throws(Failure) in
                try await outsider.acquireTokenSilent(World.wish.with { $0.account = account })
            }
            #expect(refused?.code == .interactionRequired && refused?.oauthError == "invalid_grant")
            #expect(refused?.suberror == "client_mismatch" && refused?.serverCodes == [70000])
            await outsider.close()
        }
    }

    @Test func `An External ID token under the tenant's identifier is found by the tenant's address`() async throws {
        try await World.open { world in
            let home = "c41e0000-0000-4000-8000-000000000001.\(Directory.ciamTenant.id)"
            for name in [Directory.ciamTenant.domain, Directory.ciamTenant.id] {
                try world.cache.save(
                    TokenRecord(
                        clientID: Directory.ciamApp, homeAccountID: home, environment: "127.0.0.1",
                        realm: Directory.ciamTenant.id,
                        localAccountID: "c41e0000-0000-4000-8000-000000000001", username: "chien@shop.example",
                        accessToken: Secret("of MSAL"), scopes: ["openid", "profile"], cachedAt: Date(),
                        expiresOn: Date().addingTimeInterval(3600)))
                let application = PublicClientApplication(
                    PublicClientApplication.Configuration(
                        clientID: Directory.ciamApp,
                        authority: try Authority(world.provider.authority(name), kind: .ciam),
                        store: world.store, network: .patient))
                #expect(
                    await application.silent(TokenRequest(scopes: ["openid", "profile"])).token?.accessToken
                        == Secret("of MSAL"))
                await application.close()
            }
        }
    }
}

/// A semaphore for the proxy's own thread, which may be held up.
private final class Closed: Sendable {
    private let isDone = Mutex(false)

    func signal() { isDone.withLock { $0 = true } }

    func wait(milliseconds: Int) {
        for _ in 0..<milliseconds where !isDone.withLock({ $0 }) { usleep(1000) }
    }
}
