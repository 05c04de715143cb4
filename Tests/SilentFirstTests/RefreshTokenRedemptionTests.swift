import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import StrictJSON
import Synchronization
import Testing
import TokenCache
import Waiting

@testable import Sandbox

/// A refresh token is not spent before it is known that its successor can be kept, and what came for it is not lost
/// after that.
@Suite struct RefreshTokenRedemptionTests {
    private static let request = TokenRequest(scopes: ["User.Read"])
    /// A lock file of a process that lives and that nobody may ask: the first one.
    private static let lock = Data("1 another program".utf8)

    private static func file(_ world: World, _ suffix: String = "") -> URL {
        URL(fileURLWithPath: world.store + suffix)
    }

    private static func text(_ world: World) throws -> String { try String(contentsOf: file(world), encoding: .utf8) }

    /// An application that does not wait for locks where nothing is at stake.
    private static func application(_ world: World, at address: String, patience: Duration = Waiting.end) throws
        -> PublicClientApplication
    {
        let configuration = PublicClientApplication.Configuration(
            clientID: Directory.tryOut, authority: try Authority(address + "/organizations", kind: .aad),
            store: world.store, network: .patient)
        return PublicClientApplication(
            configuration, cache: TokenCache(path: world.store, lockWait: .zero, retryPause: 1000, patience: patience),
            provider: Provider(configuration.network), now: { world.time })
    }

    private static func refreshes(_ proxy: RecordingProxy) -> [RecordingProxy.Asked] {
        proxy.tokenRequests.filter { $0.fields["grant_type"] == "refresh_token" }
    }

    @Test func `A store that another holds locked costs no refresh token`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                try world.advance(4000)
                try Self.lock.write(to: Self.file(world, ".lockfile"))
                let refused = await application.silent(Self.request).refusal
                #expect(refused?.code == .storeError && refused?.message.contains("locked by process 1") == true)
                #expect(Self.refreshes(proxy).isEmpty)
                unlink(Self.file(world, ".lockfile").path())
                #expect(await application.silent(Self.request).source == .refresh)
                await application.close()
            }
        }
    }

    @Test func `A valid token that is only due for renewal is handed out while the store is locked, with a warning`()
        async throws
    {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "refresh_in", value: .int(60))]), endpoint: "token:device_code"))
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                let first = try await world.signIn(application)
                try world.advance(120)
                try Self.lock.write(to: Self.file(world, ".lockfile"))
                let token = await application.silent(Self.request).token
                #expect(token?.accessToken == first.accessToken && token?.source == .cache)
                #expect(token?.warning?.contains("locked by process 1") == true)
                #expect(Self.refreshes(proxy).isEmpty)
                await application.close()
            }
        }
    }

    @Test func `A store that is locked when the answer comes is waited for`() async throws {
        try await World.open { world in
            try await world.withProxy { asked in
                if asked.fields["grant_type"] == "refresh_token" {
                    try? Self.lock.write(to: Self.file(world, ".lockfile"))
                }
                return nil
            } _: { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                let before = try world.refreshTokens()
                try world.advance(4000)
                let path = Self.file(world, ".lockfile").path()
                let token = try await application.acquireTokenSilent(Self.request) { step in
                    if step.name == .save, step.outcome == .skipped { unlink(path) }
                }
                #expect(token.source == .refresh && token.warning == nil)
                #expect(token.trail.steps.filter { $0.name == .save }.map(\.outcome) == [.skipped, .done])
                let after = try world.refreshTokens()
                #expect(after.count == 1 && after != before)
                await application.close()
            }
        }
    }

    @Test
    func
        `What cannot be saved in time is handed out with a warning, used from memory, and saved with whatever is written next`()
        async throws
    {
        try await World.open { world in
            let foreign = Data(#"["somebody else's"]"#.utf8)
            let kept = Mutex(Data())
            try await world.withProxy { asked in
                if asked.fields["grant_type"] == "refresh_token", kept.withLock({ $0.isEmpty }) {
                    kept.withLock { $0 = (try? Data(contentsOf: Self.file(world))) ?? Data() }
                    try? foreign.write(to: Self.file(world))
                }
                return nil
            } _: { proxy in
                let application = try Self.application(world, at: proxy.baseURL, patience: .zero)
                try await world.signIn(application)
                let before = try world.refreshTokens()
                try world.advance(4000)
                let person = Guarded()
                let token = try await application.acquireTokenSilentFirst(Self.request, userAgents: person.userAgents)
                #expect(token.source == .refresh && person.count == 0)
                #expect(token.warning?.contains("only in memory") == true)
                #expect(token.trail.steps.last?.name == .save && token.trail.steps.last?.outcome == .failed)
                #expect(try Data(contentsOf: Self.file(world)) == foreign)

                // The old content is back, with the spent refresh token in it.
                try kept.withLock { try $0.write(to: Self.file(world)) }
                chmod(world.store, 0o600)
                let held = try world.refreshTokens()
                #expect(held.count == 1 && held != before)
                #expect(await application.silent(Self.request).token?.accessToken == token.accessToken)
                try world.cache.setCurrentAccount(token.account.id, clientID: Directory.tryOut)
                #expect(try Self.text(world).contains(held[0].reveal()))
                #expect(try !Self.text(world).contains(before[0].reveal()))
                await application.close()
            }
        }
    }

    @Test func `A sign-in asks nobody where its tokens could not be stored`() async throws {
        try await World.open { world in
            try Data(#"["somebody else's"]"#.utf8).write(to: Self.folder(world))
            chmod(world.store, 0o600)
            let application = try Self.application(world, at: world.provider.baseURL)
            let person = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireToken(Self.request, userAgents: person.userAgents)
            }
            #expect(refused?.code == .storeError && person.count == 0)
            await application.close()
        }
    }

    private static func folder(_ world: World) throws -> URL {
        let file = file(world)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        chmod(file.deletingLastPathComponent().path(), 0o700)
        return file
    }

    // MARK: Texts that cannot be decoded

    @Test func `Half of a surrogate pair in a name does not keep a refresh from being stored, and stays as it is`()
        async throws
    {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                try await world.signIn(application, "taro@contoso.example")
                // Taro's name, as a library writes it that does not mind.
                let entries = try Self.text(world)
                let broken = entries.replacing("\"name\": \"\\u5c71", with: "\"name\": \"\\ud83d")
                #expect(broken != entries)
                try Data(broken.utf8).write(to: Self.file(world))
                chmod(world.store, 0o600)
                let before = try world.refreshTokens()
                try world.advance(4000)
                let ada = try #require(
                    try world.snapshot().accounts(clientID: nil).first { $0.username == "ada@contoso.example" })
                #expect(await application.silent(Self.request.with { $0.account = ada }).source == .refresh)
                #expect(try Set(world.refreshTokens()) != Set(before))
                #expect(try Self.text(world).contains("\"name\": \"\\ud83d\\u7530"))
                #expect(try world.snapshot().undecodableCount == 1)
                // The person is there all the same, and no name is invented.
                let taro = try #require(
                    try world.snapshot().accounts(clientID: nil).first { $0.username == "taro@contoso.example" })
                #expect(taro.name == nil)
                #expect(await application.silent(Self.request.with { $0.account = taro }).source == .refresh)
                await application.close()
            }
        }
    }

    @Test func `What is refused at writing is refused before a refresh token is spent`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                // Two fields of one name: two readers could take different ones.
                let twice = try Self.text(world).replacing(
                    "\"Account\": {", with: "\"Account\": {\"x\": {\"a\": 1, \"a\": 2},")
                try Data(twice.utf8).write(to: Self.file(world))
                chmod(world.store, 0o600)
                try world.advance(4000)
                #expect(await application.silent(Self.request).code == .storeError)
                #expect(Self.refreshes(proxy).isEmpty)
                #expect(try Self.text(world) == twice)
                await application.close()
            }
        }
    }

    // MARK: Several refresh tokens

    /// Gives the client a second refresh token, as libraries leave them behind.
    ///
    /// - Parameters:
    ///   - isFirst: whether it stands before the good one.
    ///   - isNewer: whether it says that it is newer; else neither says when it was written.
    private static func leave(_ secret: String, in world: World, isFirst: Bool, isNewer: Bool) throws {
        var cache = try JSONValue(parsing: Array(Data(contentsOf: file(world))))
        func named(_ name: String, _ value: JSONValue) -> JSONMember { JSONMember(name: name, value: value) }
        let section = try #require(cache["RefreshToken"]?.object?.members.first)
        func entry(_ secret: String?, time: String?) throws -> JSONValue {
            var members = try #require(section.value.object?.members).filter { $0.name != "last_modification_time" }
            if let secret { members = members.map { $0.name == "secret" ? named("secret", .string(secret)) : $0 } }
            if let time { members.append(named("last_modification_time", .string(time))) }
            return .object(JSONObject(members))
        }
        let good = named(section.name, try entry(nil, time: nil))
        let other = named("another", try entry(secret, time: isNewer ? "4102444800" : nil))
        let tokens = JSONValue.object(JSONObject(isFirst ? [other, good] : [good, other]))
        cache = .object(
            JSONObject(
                try #require(cache.object).members.map {
                    $0.name == "RefreshToken" ? named("RefreshToken", tokens) : $0
                }))
        try Data(cache.serialized().utf8).write(to: file(world))
        chmod(world.store, 0o600)
    }

    @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
    func `After a dead refresh token the client's other one is tried in the same call`(isFirst: Bool, isNewer: Bool)
        async throws
    {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                try Self.leave("1.sandbox.dead", in: world, isFirst: isFirst, isNewer: isNewer)
                try world.advance(4000)
                let token = await application.silent(Self.request).token
                #expect(token?.source == .refresh)
                // Of those that do not say when they were written, the last one is the newest.
                #expect(Self.refreshes(proxy).count == (isNewer || !isFirst ? 2 : 1))
                // A dead one that is not called so stays where it is, and is no longer asked first.
                #expect(try world.refreshTokens().count == 2)
                await application.close()
            }
        }
    }

    @Test func `A bad refresh token goes in the call that finds it out, and its successor is stored in the same`()
        async throws
    {
        try await World.open { world in
            try await world.withProxy { asked in
                guard asked.fields["refresh_token"] == "1.sandbox.dead" else { return nil }
                return .json(.members(["error": "invalid_grant", "suberror": "bad_token"]), status: 400)
            } _: { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                let before = try world.refreshTokens()
                try Self.leave("1.sandbox.dead", in: world, isFirst: false, isNewer: true)
                try world.advance(4000)
                #expect(await application.silent(Self.request).source == .refresh)
                let after = try world.refreshTokens()
                #expect(after.count == 1 && after != before && after[0].reveal() != "1.sandbox.dead")
                await application.close()
            }
        }
    }

    @Test func `A condition is met by no other token of the client, and is what the person hears`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, at: proxy.baseURL)
                try await world.signIn(application)
                try Self.leave("1.sandbox.dead", in: world, isFirst: false, isNewer: true)
                try world.advance(4000)
                world.refuse("invalid_grant", "basic_action", codes: [50076], claims: #"{"access_token":{}}"#, times: 1)
                let refused = await application.silent(Self.request).refusal
                #expect(
                    refused?.suberror == "basic_action" && refused?.claims != nil && Self.refreshes(proxy).count == 1)
                // The other way round: what the second says is more than that the first is dead.
                world.refuse("invalid_grant", "bad_token", times: 1)
                world.refuse("invalid_grant", "basic_action", codes: [50076], times: 1)
                let second = await application.silent(TokenRequest(scopes: ["Mail.Read"])).refusal
                #expect(second?.suberror == "basic_action" && Self.refreshes(proxy).count == 3)
                await application.close()
            }
        }
    }

    // MARK: Answers that are lost

    @Test(arguments: [true, false])
    func `An answer that is lost after the rotation is had again where the provider gives it`(
        hasGrace: Bool
    ) async throws {
        try await World.open { world in
            if hasGrace { world.provider.bend(Fault(.quirk(.rotationGrace))) }
            let application = try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI)
            let request = TokenRequest(scopes: ["openid", "profile", "offline_access"])
            try await world.signIn(application, "hedy@lab.example", scopes: request.scopes)
            try world.advance(4000)
            world.bend(.cutOff, times: 1)
            let result = await application.silent(request)
            #expect(world.refreshes == 2)
            if hasGrace { #expect(result.source == .refresh) } else { #expect(result.code == .interactionRequired) }
            world.provider.clearFaults()
            try world.advance(4000)
            if hasGrace { #expect(await application.silent(request).source == .refresh) }
            await application.close()
        }
    }
}
