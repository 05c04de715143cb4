import AppModel
import Foundation
import Identity
import SilentCore
import SilentFirst
import Testing
import Wire

@testable import CommandSupport
@testable import TokenCache
@testable import foyer_main

/// Enter in the interface and `foyer token` make the same request, and what is said of it beforehand is the decision
/// that the call makes.
@Suite struct PlannedCallTests {
    private static let now = Date(timeIntervalSince1970: 1_795_233_600)
    private static let client = "11111111-2222-3333-4444-555555555555"
    private static let cli = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    private static let tenant = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
    private static let home = "ad0a0000-0000-0000-0000-000000000001.\(tenant)"
    private static let ada = Account(
        homeAccountID: home, environment: "login.microsoftonline.com", username: "ada@example.org")
    private static let settings = """
        [clients.work]
        client_id = "\(client)"
        scopes = ["https://graph.microsoft.com/User.Read"]
        """

    private static func refreshToken(_ client: String = client, family: String = "") -> String {
        """
        "rt-\(client)":{"credential_type":"RefreshToken","secret":"rt-secret","home_account_id":"\(home)",\
        "environment":"login.microsoftonline.com","client_id":"\(client)","family_id":"\(family)"}
        """
    }

    private static func accessToken(expires seconds: Int, cached: Int = -3000, more: String = "") -> String {
        """
        "at":{"credential_type":"AccessToken","secret":"at-secret","home_account_id":"\(home)",\
        "environment":"login.microsoftonline.com","client_id":"\(client)","realm":"\(tenant)",\
        "target":"https://graph.microsoft.com/User.Read","expires_on":"\(1_795_233_600 + seconds)",\
        "cached_at":"\(1_795_233_600 + cached)"\(more)}
        """
    }

    private static func snapshot(_ accessToken: String, _ refreshToken: String) throws -> CacheSnapshot {
        let text = "{\"AccessToken\":{\(accessToken)},\"RefreshToken\":{\(refreshToken)}}"
        return try CacheSnapshot(Array(text.utf8), path: "")
    }

    private final class World {
        private let folder = "/tmp/foyer-planned-\(UUID().uuidString)"
        let session: CommandContext
        let clients: InterfaceClients
        let planner: SilentCallPlanner
        /// With an index of the same store, where there is one.
        private(set) var indexed: SilentCallPlanner?

        /// - Parameter snapshot: what the planner and the decision see; nothing is read from a file.
        init(_ snapshot: CacheSnapshot, authority: String? = nil) throws {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = folder + "/config.toml"
            try Data(PlannedCallTests.settings.utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let variables = ["HOME": folder, "FOYER_CONFIG": file, "FOYER_AUTHORITY": authority].compactMapValues(
                \.self)
            session = try CommandContext(TokenOptions(), environment: ProcessEnvironment { variables[$0] })
            let store = TokenCache(path: folder + "/token_cache.json")
            let provider = Provider(session.network())
            clients = InterfaceClients(session, store: store, provider: provider)
            planner = SilentCallPlanner(
                clients, .whole(snapshot), SideFiles(of: store), [],
                clientName: { $0 == cli ? "Azure CLI" : $0 })
            guard let text = snapshot.text else { return }
            // As long as stores are that are indexed.
            let large = folder + "/large.json"
            try Data(text + Array(repeating: UInt8(ascii: " "), count: 1 << 20)).write(to: URL(filePath: large))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: large)
            let index = try #require(TokenCache(path: large).index()).index
            indexed = SilentCallPlanner(
                clients, .indexed(index), SideFiles(of: store), [],
                clientName: { $0 == cli ? "Azure CLI" : $0 })
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    private static func use(_ clientID: String) -> ClientUse { ClientUse(clientID: clientID) }

    @Test(
        arguments: [
            (accessToken(expires: 2520), refreshToken(), "cached token, expires in 42 min"),
            (
                accessToken(expires: 200), refreshToken(),
                "refreshes; cached token expires in 3 min, 5 min required"
            ),
            (accessToken(expires: -600), refreshToken(), "refreshes; cached token expired 10 min ago"),
            (
                accessToken(expires: 2520, more: ",\"refresh_on\":\"1795233540\""), refreshToken(),
                "refreshes; cached token due for renewal for 60 s"
            ),
            (
                accessToken(expires: 2520, more: ",\"refresh_on\":\"1795233540\""), "",
                "cached token, still valid; renewal due, but no refresh token"
            ),
            ("", refreshToken(), "refreshes; no cached token for these scopes"),
            (
                "", refreshToken(cli, family: "1"),
                "refreshes with Azure CLI's family refresh token; no cached token for these scopes"
            ),
            (accessToken(expires: -600), "", "needs sign-in; no usable token for ada@example.org"),
        ])
    func `What Enter will do is what the silent call decides`(
        accessToken: String, refreshToken: String, words: String
    ) throws {
        let snapshot = try Self.snapshot(accessToken, refreshToken)
        let world = try World(snapshot)
        let call = world.planner.call(for: Self.ada, Self.use(Self.client), at: Self.now)
        #expect(call.words == words)
        #expect(world.indexed?.call(for: Self.ada, Self.use(Self.client), at: Self.now) == call)
        let decision = try world.clients.entry(Self.client).application.cached.decision(
            on: call.request, from: snapshot, at: Self.now)
        #expect(
            decision.words(at: Self.now, clientID: Self.client) { $0 == Self.cli ? "Azure CLI" : $0 } == call.words)
    }

    @Test func `What a silent call looks at says why nothing can be handed out`() throws {
        func lines(_ accessToken: String, _ refreshToken: String) throws -> [String] {
            let world = try World(try Self.snapshot(accessToken, refreshToken))
            let lines = world.planner.considered(for: Self.ada, Self.use(Self.client), at: Self.now)
            #expect(world.indexed?.considered(for: Self.ada, Self.use(Self.client), at: Self.now) == lines)
            return lines.map { "\($0.name): \($0.finding)" }
        }
        #expect(
            try lines(Self.accessToken(expires: -600), "")
                == ["access token: expired 10 min ago", "refresh token: none stored"])
        // What another client has is told by its name.
        #expect(
            try lines("", Self.refreshToken(Self.cli))
                == ["access token: none stored", "refresh token of Azure CLI: another client's, not a family token"])
        let needy = try World(try Self.snapshot(Self.accessToken(expires: -600), "")).planner
        #expect(
            needy.call(for: Self.ada, Self.use(Self.client), at: Self.now).cause
                == "no usable token for ada@example.org")
    }

    @Test(arguments: [
        ("login.microsoftonline.com", nil), ("login.microsoftonline.us", nil),
        ("id.example.org", "https://id.example.org/realms/lab"), ("127.0.0.1", "http://127.0.0.1:8080/adfs"),
    ]) func `Enter asks whom foyer token asks, for the same scopes`(environment: String, issuer: String?) throws {
        let account = Account(
            homeAccountID: Self.home, environment: environment, username: "ada@example.org", issuer: issuer)
        let world = try World(.empty)
        let client = try world.session.client(named: Self.cli)
        let ofToken = try Self.resolution(world, client).pointing(at: account, in: .empty).request(
            TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered))
        let ofEnter = world.planner.call(for: account, Self.use(Self.cli), at: Self.now).request
        #expect(ofEnter == ofToken)
        #expect(ofEnter.authority?.environment == environment)
        #expect(ofEnter.authority?.issuer == issuer)
        #expect(ofEnter.scopes.isEmpty == false)
    }

    @Test func `An authority that is written for a client is asked by foyer token, whoever is named`() throws {
        let account = Account(
            homeAccountID: "ada", environment: "id.example.org", username: "ada@example.org",
            issuer: "https://id.example.org/a")
        let world = try World(.empty, authority: "https://id.example.org/b")
        let client = try world.session.client(named: Self.client)
        let resolution = try Self.resolution(world, client).pointing(at: account, in: .empty)
        #expect(resolution.authority.issuer == "https://id.example.org/b")
    }

    @Test func `The call that was planned is planned anew in the next second`() throws {
        let world = try World(Self.snapshot(Self.accessToken(expires: 400), Self.refreshToken()))
        func words(_ seconds: Double) -> String {
            world.planner.call(
                for: Self.ada, Self.use(Self.client), at: Self.now.addingTimeInterval(seconds)
            ).words
        }
        #expect(words(0) == "cached token, expires in 6 min")
        #expect(words(101).hasPrefix("refreshes; "))
    }

    private static func resolution(_ world: World, _ client: ClientChoice) throws -> Resolution {
        try Resolution(world.session.resolved(), client, in: .empty) { _ in true }
    }
}
