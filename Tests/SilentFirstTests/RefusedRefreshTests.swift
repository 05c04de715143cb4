import Foundation
import Glibc
import Identity
import SilentFirst
import Synchronization
import Testing
import Waiting

@testable import Sandbox
@testable import TokenCache

/// What stays of a refresh at a provider that rotates whose response fails a check: the new refresh token, unless it is
/// somebody else's. The sandbox revokes everything when a spent refresh token comes again.
@Suite struct RefusedRefreshTests {
    private static let request = TokenRequest(scopes: ["openid", "profile"])

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var members: [(String, JSON)] = []
        var fault: TokenFault?
        /// Rewrites the header of the ID token, which then has no right signature any more.
        var header: String?
    }

    static let rows: [Row] = [
        Row(testDescription: "no token type", members: [("token_type", .null)]),
        Row(testDescription: "another token type", members: [("token_type", "mac")]),
        Row(testDescription: "a token type that is no string", members: [("token_type", .int(1))]),
        Row(testDescription: "a token of a key, though none was sent", members: [("token_type", "DPoP")]),
        Row(testDescription: "no access token", members: [("access_token", .null)]),
        Row(
            testDescription: "neither token", members: [("access_token", .null), ("id_token", .null)]),
        Row(testDescription: "an access token that is no string", members: [("access_token", .int(5))]),
        Row(testDescription: "an access token with blanks", members: [("access_token", "a b")]),
        Row(testDescription: "scopes as a list", members: [("scope", .strings(["openid"]))]),
        Row(testDescription: "a lifetime in words", members: [("expires_in", "soon")]),
        Row(testDescription: "no lifetime left", members: [("expires_in", .int(0))]),
        Row(testDescription: "an end in words", members: [("expires_in", .null), ("expires_on", "tomorrow")]),
        Row(testDescription: "an ID token that is no string", members: [("id_token", .int(5))]),
        Row(testDescription: "an ID token that is no JWT", members: [("id_token", "x.y")]),
        Row(testDescription: "an encrypted ID token", members: [("id_token", "e30.e30.e30.e30.e30")]),
        Row(testDescription: "an unsigned ID token", fault: .algNone),
        Row(testDescription: "an ID token under HMAC", fault: .hs256WithPublicKey),
        Row(testDescription: "a wrong signature", fault: .badSignature),
        Row(testDescription: "another issuer", fault: .wrongIssuer),
        Row(testDescription: "another audience", fault: .wrongAudience),
        Row(testDescription: "no subject", fault: .missingSub),
        Row(testDescription: "an algorithm that is not known", header: #"{"alg":"ES256K","typ":"JWT"}"#),
        Row(testDescription: "the algorithm of another kind of key", header: #"{"alg":"ES384","typ":"JWT"}"#),
        Row(testDescription: "another type of token", header: #"{"alg":"RS256","typ":"at+jwt"}"#),
        Row(testDescription: "a required extension", header: #"{"alg":"RS256","crit":["exp"],"typ":"JWT"}"#),
    ]

    private static func application(_ world: World) throws -> PublicClientApplication {
        try world.made(world.provider.issuer, kind: .oidc, client: Directory.labCLI)
    }

    private static func signIn(_ world: World, _ application: PublicClientApplication) async throws {
        try await world.signIn(
            application, "hedy@lab.example", scopes: ["openid", "profile", "offline_access"])
        try world.advance(4000)
    }

    /// A good ID token of the user with another header.
    private static func idToken(_ world: World, of username: String, header: String? = nil) throws -> JSON {
        let issued = try world.provider.issue(
            username: username, client: Directory.labCLI, scope: "openid profile offline_access")
        let text = try #require(issued["id_token"]?.string)
        guard let header else { return .string(text) }
        let rest = text.split(separator: ".").dropFirst()
        return .string(([Base64URL.encode(Array(header.utf8))] + rest.map(String.init)).joined(separator: "."))
    }

    private static func bend(_ world: World, as row: Row) throws {
        if let fault = row.fault { world.provider.bend(Fault(.idToken(fault), endpoint: "token:refresh_token")) }
        var members = row.members
        if let header = row.header {
            members.append(("id_token", try idToken(world, of: "hedy@lab.example", header: header)))
        }
        if !members.isEmpty { world.override(members) }
    }

    @Test(arguments: rows)
    func `A response that fails a check costs the access token and never the sign-in`(row: Row) async throws {
        try await World.open { world in
            let application = try Self.application(world)
            try await Self.signIn(world, application)
            var (refreshTokens, others) = try Self.stored(world)
            try Self.bend(world, as: row)
            let guarded = Guarded()
            // Each refusal spends one refresh token, and the next call has its successor.
            for _ in 0..<3 {
                let refused = await failure { () throws(Failure) in
                    try await application.acquireTokenSilentFirst(Self.request, userAgents: guarded.userAgents)
                }
                #expect(refused?.code == .untrustedResponse && refused?.result == nil)
                let hint = refused?.hint?.description ?? ""
                #expect(hint.contains("the sign-in is kept") && !hint.contains("nothing"), "\(hint)")
                #expect(
                    refused?.trail.steps.last { $0.name == .save }?.words == "store: only the new refresh token saved")
                let (next, rest) = try Self.stored(world)
                #expect(next.count == 1 && next != refreshTokens && rest == others)
                (refreshTokens, others) = (next, rest)
            }
            #expect(guarded.count == 0)
            world.provider.clearFaults()
            #expect(await application.silent(Self.request).source == .refresh)
            await application.close()
        }
    }

    private static func stored(_ world: World) throws -> (refreshTokens: [Secret], others: Set<Secret>) {
        let all = try world.snapshot().credentials()
        return (
            all.filter { $0.kind == .refreshToken }.map(\.secret),
            Set(all.filter { $0.kind != .refreshToken }.map(\.secret))
        )
    }

    @Test(arguments: rows)
    func `At a sign-in nothing is kept of a response that fails a check`(row: Row) async throws {
        // Without an ID token, the device grant asks the userinfo endpoint; an ID token of another grant has no place.
        guard row.header == nil else { return }
        try await World.open { world in
            let application = try Self.application(world)
            if let fault = row.fault { world.provider.bend(Fault(.idToken(fault), endpoint: "token:device_code")) }
            if !row.members.isEmpty {
                world.provider.bend(
                    Fault(
                        .override(row.members.map { JSON.Member(name: $0.0, value: $0.1) }),
                        endpoint: "token:device_code"))
            }
            let refused: Failure?
            do {
                try await world.signIn(
                    application, "hedy@lab.example", scopes: ["openid", "profile", "offline_access"])
                refused = nil
            } catch { refused = error as? Failure }
            #expect(refused?.code == .untrustedResponse)
            #expect(refused?.nextStep?.description.contains("nothing was stored") == true)
            #expect(try world.snapshot().credentials().isEmpty)
            await application.close()
        }
    }

    @Test(arguments: SigningAlgorithm.allCases) func `A provider that changes its signing algorithm signs nobody out`(
        algorithm: SigningAlgorithm
    ) async throws {
        try await World.open { world in
            let application = try Self.application(world)
            try await Self.signIn(world, application)
            try world.provider.rotateKeys(to: algorithm)
            for _ in 0..<2 {
                let token = await application.silent(Self.request.with { $0.forceRefresh = true })
                #expect(token.source == .refresh, "\(String(describing: token.refusal))")
            }
            await application.close()
        }
    }

    // MARK: Somebody else's

    @Test(arguments: [nil, #"{"alg":"none"}"#, #"{"alg":"ES256K","typ":"JWT"}"#])
    func `A refresh token that came for another person is not stored, and the account keeps its own`(header: String?)
        async throws
    {
        try await World.open { world in
            let application = try Self.application(world)
            try await Self.signIn(world, application)
            let before = try world.snapshot().credentials()
            world.override([("id_token", try Self.idToken(world, of: "emmy@lab.example", header: header))])
            let refused = await application.silent(Self.request).refusal
            #expect(refused?.code == .untrustedResponse)
            #expect(refused?.hint?.description.contains("the account keeps its earlier refresh token") == true)
            #expect(refused?.trail.steps.last { $0.name == .save }?.outcome == .skipped)
            #expect(try world.snapshot().credentials() == before)
            await application.close()
        }
    }

    @Test func `Entra ID's client_info of another person withholds the refresh token whatever else is wrong`()
        async throws
    {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            let before = try world.snapshot().credentials()
            let other = try #require(try world.provider.issue(username: "taro@contoso.example")["client_info"])
            world.override([("client_info", other), ("token_type", "mac")])
            let refused = await application.silent().refusal
            #expect(refused?.message == "the token type check failed: it is not Bearer")
            #expect(refused?.hint?.description.contains("the account keeps its earlier refresh token") == true)
            #expect(try world.snapshot().credentials() == before)
            world.provider.clearFaults()
            #expect(await application.silent().source == .refresh)
            await application.close()
        }
    }

    @Test func `A response of Entra ID that names nobody says so, and nothing of it is stored`() async throws {
        try await World.open { world in
            let application = try world.made()
            try await world.expired(application)
            let before = try world.snapshot().credentials()
            world.override([("client_info", .null), ("id_token", .null)])
            let refused = await application.silent().refusal
            #expect(refused?.message == "the refresh does not say which account it is for")
            #expect(refused?.hint?.description.hasPrefix("nothing was stored; the sign-in is kept") == true)
            #expect(try world.snapshot().credentials() == before)
            await application.close()
        }
    }

    // MARK: The store

    @Test func `A new refresh token that cannot be written stays in memory, and the failure says so`() async throws {
        try await World.open { world in
            let foreign = Data(#"["somebody else's"]"#.utf8)
            let kept = Mutex(Data())
            let file = URL(fileURLWithPath: world.store)
            try await world.withProxy { asked in
                if asked.fields["grant_type"] == "refresh_token", kept.withLock({ $0.isEmpty }) {
                    kept.withLock { $0 = (try? Data(contentsOf: file)) ?? Data() }
                    try? foreign.write(to: file)
                }
                return nil
            } _: { proxy in
                let configuration = PublicClientApplication.Configuration(
                    clientID: Directory.labCLI, authority: try Authority(proxy.baseURL + "/oidc", kind: .oidc),
                    store: world.store)
                let application = PublicClientApplication(
                    configuration,
                    cache: TokenCache(path: world.store, lockWait: .zero, retryPause: 1000, patience: .zero),
                    provider: Provider(configuration.network), now: { world.time })
                try await Self.signIn(world, application)
                world.override([("token_type", "mac")])
                let refused = await application.silent(Self.request).refusal
                #expect(refused?.code == .untrustedResponse)
                #expect(refused?.hint?.description.contains("only in memory") == true)
                world.provider.clearFaults()
                try kept.withLock { try $0.write(to: file) }
                chmod(world.store, 0o600)
                #expect(await application.silent(Self.request).source == .refresh)
                await application.close()
            }
        }
    }

    // MARK: No access token

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Outside Azure AD B2C a sign-in without an access token is refused`() async throws {
        try await World.open { world in
            world.provider.bend(
                Fault(.override([JSON.Member(name: "access_token", value: .null)]), endpoint: "token"))
            let applications = [
                (try Self.application(world), "hedy@lab.example"), (try world.made(), "ada@contoso.example"),
            ]
            for (application, username) in applications {
                let refused = await failure { () throws(Failure) in
                    try await application.acquireToken(
                        TokenRequest(scopes: ["openid", "profile"], method: .device), userAgents: .deviceCodeOnly
                    ) { event in
                        guard case .deviceCode(let prompt) = event else { return }
                        try? world.provider.approve(userCode: prompt.userCode, username: username)
                    }
                }
                #expect(refused?.code == .untrustedResponse)
                #expect(refused?.message.contains("there is no access token in it") == true)
                #expect(try world.snapshot().credentials().isEmpty)
                await application.close()
            }
        }
    }
}
