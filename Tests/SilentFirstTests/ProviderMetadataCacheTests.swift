import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import Testing
import TokenCache

@testable import Sandbox

@Suite struct KeptProvidersTests {
    private static func file(_ world: World) -> URL { URL(fileURLWithPath: world.store + ".providers") }

    /// A silent call of a process that knows nothing yet, after the token from before is over.
    private static func refresh(_ world: World, oidc: Bool = false) async throws -> Result<AcquiredToken, Failure> {
        try world.advance(4000)
        let application =
            try oidc ? world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI) : world.made()
        let request = oidc ? TokenRequest(scopes: ["openid", "profile"]) : World.wish
        let result = await application.silent(request)
        await application.close()
        return result
    }

    @Test(arguments: [false, true])
    func `Within a day, the next process refreshes with one request: metadata and keys are there`(
        oidc: Bool
    ) async throws {
        try await World.open { world in
            let application =
                try oidc ? world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI) : world.made()
            try await world.signIn(
                application, oidc ? "hedy@lab.example" : "ada@contoso.example",
                scopes: oidc ? ["openid", "profile", "offline_access"] : ["User.Read"])
            #expect(try await Self.refresh(world, oidc: oidc).source == .refresh)
            let (metadata, keys) = (world.provider.requests("discovery"), world.provider.requests("keys"))
            for _ in 0..<3 { #expect(try await Self.refresh(world, oidc: oidc).source == .refresh) }
            #expect(world.provider.requests("discovery") == metadata && world.provider.requests("keys") == keys)
            #expect(world.refreshes == 4)
            try world.advance(86_400)
            #expect(try await Self.refresh(world, oidc: oidc).source == .refresh)
            #expect(world.provider.requests("discovery") > metadata && world.provider.requests("keys") > keys)
        }
    }

    @Test func `A provider that was looked up is not asked for its metadata again by the sign-in`() async throws {
        try await World.open { world in
            let authority = try Authority(world.provider.issuer, kind: .oidc)
            let application = try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI)
            let support = try await application.support(at: authority)
            #expect(support == ProviderSupport(kind: .oidc, hasDeviceCode: true))
            let asked = world.provider.requests("discovery")
            #expect(asked > 0)
            try await world.signIn(application, "hedy@lab.example", scopes: ["openid", "profile"])
            #expect(world.provider.requests("discovery") == asked)
        }
    }

    @Test func `What is kept is for nobody else to read, has no token and no person in it, and a hit does not open it`()
        async throws
    {
        try await World.open { world in
            try await world.expired(world.made())
            #expect(try await Self.refresh(world).source == .refresh)
            let text = try String(contentsOf: Self.file(world), encoding: .utf8)
            for token in try world.snapshot().credentials() { #expect(!text.contains(token.secret.reveal())) }
            #expect(!text.contains("ada@") && text.contains("token_endpoint"))
            let mode =
                try FileManager.default.attributesOfItem(atPath: Self.file(world).path())[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try FileManager.default.removeItem(at: Self.file(world))
            #expect(await (try world.made()).silent().source == .cache)
            #expect(!FileManager.default.fileExists(atPath: Self.file(world).path()))
        }
    }

    @Test func `A request that fails lets go of what was kept, so that the next one asks anew`() async throws {
        try await World.open { world in
            try await world.expired(world.made())
            #expect(try await Self.refresh(world).source == .refresh)
            let before = world.provider.requests("discovery")
            world.bend(.status(404, retryAfter: nil), times: 1)
            #expect(try await Self.refresh(world).source == nil)
            #expect(world.provider.requests("discovery") == before)
            #expect(try await Self.refresh(world).source == .refresh)
            #expect(world.provider.requests("discovery") == before + 1)
        }
    }

    @Test func `A sign-in asks the provider itself, whatever was kept`() async throws {
        try await World.open { world in
            try await world.signIn(world.made())
            let (metadata, keys) = (world.provider.requests("discovery"), world.provider.requests("keys"))
            try await world.signIn(world.made())
            #expect(world.provider.requests("discovery") == metadata + 1 && world.provider.requests("keys") == keys + 1)
        }
    }

    @Test func `A planted document is checked as if it had just come, and a broken file is as good as none`()
        async throws
    {
        try await World.open { world in
            try await world.expired(world.made())
            #expect(try await Self.refresh(world).source == .refresh)
            let good = try String(contentsOf: Self.file(world), encoding: .utf8)
            let planted = [
                // Another issuer, another cloud's token endpoint, a time to come, and what is no file of ours.
                good.replacing("\"issuer\":\"http", with: "\"issuer\":\"https://evil.example/http"),
                good.replacing(
                    "\"token_endpoint\":\"http://127.0.0.1", with: "\"token_endpoint\":\"https://evil.example"),
                good.replacing("\"read_at\":", with: "\"read_at\":9"), "{", "[]", "{\"version\":1,\"providers\":7}",
                String(repeating: "[", count: 600_000),
            ]
            for text in planted {
                #expect(text != good)
                try Data(text.utf8).write(to: Self.file(world))
                let before = world.provider.requests("discovery")
                #expect(try await Self.refresh(world).source == .refresh, "\(text.prefix(40))")
                #expect(world.provider.requests("discovery") == before + 1, "\(text.prefix(40))")
            }
        }
    }

    private enum Move: CaseIterable {
        case port, host, path, dots

        func applied(to text: String, _ provider: SandboxProvider) -> String {
            let base = provider.baseURL
            return switch self {
            case .port: text.replacing(base, with: "http://127.0.0.1:9")
            case .host: text.replacing(base, with: "http://localhost")
            case .path: base + "/elsewhere"
            case .dots: text + "/../../elsewhere"
            }
        }
    }

    /// The endpoints that the documents of both have.
    private static let endpoints = [
        "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "jwks_uri", "userinfo_endpoint",
        "revocation_endpoint", "introspection_endpoint",
    ]

    @Test(arguments: [Authority.Kind.aad, .oidc, .oauth2])
    func `In a plain store, metadata whose endpoint is elsewhere than its provider are fetched again`(
        kind: Authority.Kind
    ) async throws {
        try await World.open { world in
            let server = world.provider.baseURL + "/as/one"
            func application() throws -> PublicClientApplication {
                switch kind {
                case .oidc: try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI)
                case .oauth2: try world.made(server, kind: .oauth2, client: Directory.oauthPublic)
                default: try world.made()
                }
            }
            let scopes: ScopeSet =
                switch kind {
                case .oidc: ["openid", "profile", "offline_access"]
                case .oauth2: ["profile", "notes.read"]
                default: ["User.Read"]
                }
            let user = kind == .aad ? "ada@contoso.example" : "hedy@lab.example"
            try await world.signIn(application(), user, scopes: scopes)
            func refresh() async throws -> AcquiredToken.Source? {
                try world.advance(4000)
                let application = try application()
                let token = await application.silent(TokenRequest(scopes: scopes))
                await application.close()
                return token.source
            }
            #expect(try await refresh() == .refresh)
            let good = try String(contentsOf: Self.file(world), encoding: .utf8)
            var names: Set<String> = []
            for name in Self.endpoints {
                // Each document's: Entra ID has one for each tenant.
                let parts = good.split(separator: "\"\(name)\":\"", omittingEmptySubsequences: false)
                // Entra ID's is Microsoft Graph's, and is not asked.
                guard parts.count > 1, kind != .aad || name != "userinfo_endpoint" else { continue }
                names.insert(name)
                for move in Move.allCases where kind != .aad || move == .port || move == .host {
                    let moved = parts.dropFirst().map { part in
                        let address = part.prefix { $0 != "\"" }
                        return move.applied(to: String(address), world.provider) + part.dropFirst(address.count)
                    }
                    let planted = ([String(parts[0])] + moved).joined(separator: "\"\(name)\":\"")
                    #expect(planted != good)
                    try Data(planted.utf8).write(to: Self.file(world))
                    let before = world.provider.requests("discovery")
                    #expect(try await refresh() == .refresh, "\(name) \(move)")
                    #expect(world.provider.requests("discovery") > before, "\(name) \(move)")
                }
            }
            #expect(names.isSuperset(of: ["authorization_endpoint", "token_endpoint"]) && names.count >= 4, "\(names)")
        }
    }

    @Test func `At most fifty documents of at most 64 KiB are kept, the newest`() throws {
        let folder = "/tmp/foyer-providers-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = ProviderStore(path: folder + "/token_cache.json")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for number in 0..<60 {
            try store.keep(.init([.init(name: "n", value: .string("\(number)"))]), as: "\(number)", at: now)
        }
        #expect(
            store.document("9", at: now) == nil && store.document("10", at: now) != nil
                && store.document("59", at: now)?.age == 0)
        try store.keep(
            .init([.init(name: "n", value: .string(String(repeating: "x", count: 70_000)))]), as: "large", at: now)
        #expect(store.document("large", at: now) == nil)
        #expect(store.document("59", at: now.addingTimeInterval(86_399))?.age == 86_399)
        #expect(
            store.document("59", at: now.addingTimeInterval(86_400)) == nil
                && store.document("59", at: now.addingTimeInterval(-60)) == nil)
        try store.forget("59", at: now)
        #expect(store.document("59", at: now) == nil && store.document("58", at: now) != nil)
    }
}
