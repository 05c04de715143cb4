import FoundationEssentials
import Identity
import SilentFirst
import Testing

@testable import Sandbox
@testable import TokenCache

/// At a server with OAuth alone, a refreshed token is for whom the server says: it is asked before the token is handed
/// out or stored. The sandbox revokes everything when a spent refresh token comes again.
@Suite struct RefreshedOwnerTests {
    enum Source: String, CaseIterable, CustomTestStringConvertible {
        case accountURL, userInfo, introspection
        var testDescription: String { rawValue }
        /// In the sandbox's counts and faults.
        var endpoint: String { self == .introspection ? "as/one:introspect" : "as/one:userinfo" }
    }

    private static let hedy = "hedy@lab.example"
    private static let request = TokenRequest(scopes: ["profile", "notes.read"])

    /// A user is signed in, and the access token is over.
    private static func expired(_ source: Source, _ body: (World, PublicClientApplication) async throws -> Void)
        async throws
    {
        try await World.open { world in
            if source == .introspection { world.provider.bend(Fault(.quirk(.noUserinfo))) }
            let server = world.provider.baseURL + "/as/one"
            let application = try world.made(server, kind: .oauth2, client: Directory.oauthPublic) {
                guard source == .accountURL, let address = try? WebAddress(server + "/userinfo") else { return }
                $0.account = AccountEndpoint(address, identifier: "sub", username: "preferred_username")
            }
            try await world.signIn(application, hedy, scopes: request.scopes)
            #expect(world.provider.requests(source.endpoint) == 1)
            try world.advance(4000)
            try await body(world, application)
            await application.close()
        }
    }

    private static func stored(_ world: World, _ kind: CachedCredential.Kind) throws -> [Secret] {
        try world.snapshot().credentials().filter { $0.kind == kind }.map(\.secret)
    }

    @Test(arguments: Source.allCases)
    func `The server is asked whose a refreshed token is`(source: Source) async throws {
        try await Self.expired(source) { world, application in
            for round in 1...2 {
                let token = await application.silent(Self.request)
                #expect(token.source == .refresh && token.token?.account.username == Self.hedy)
                #expect(world.provider.requests(source.endpoint) == 1 + round)
                #expect(await application.silent(Self.request).source == .cache)
                try world.advance(4000)
            }
        }
    }

    @Test(arguments: Source.allCases)
    func `A refreshed token of another person is neither handed out nor stored`(source: Source) async throws {
        try await Self.expired(source) { world, application in
            let before = try world.snapshot().credentials()
            world.provider.bend(
                Fault(
                    .override([
                        JSON.Member(name: "sub", value: "somebody-else"),
                        JSON.Member(name: "preferred_username", value: .string(Self.hedy)),
                    ]), endpoint: source.endpoint))
            let guarded = Guarded()
            let refused = await failure { () throws(Failure) in
                try await application.acquireTokenSilentFirst(Self.request, userAgents: guarded.userAgents)
            }
            #expect(refused?.code == .untrustedResponse && refused?.message == "the refresh returned another account")
            #expect(refused?.hint?.description.contains("the account keeps its earlier refresh token") == true)
            #expect(guarded.count == 0)
            #expect(try world.snapshot().credentials() == before)
        }
    }

    private static let failures: [(Fault.Kind, Failure.Code)] = [
        (.status(503, retryAfter: nil), .unavailable), (.status(429, retryAfter: 1), .unavailable),
        (.cutOff, .unavailable), (.status(403, retryAfter: nil), .untrustedResponse), (.html, .untrustedResponse),
        (.redirect(to: "https://evil.example/"), .untrustedResponse),
        (
            .override([JSON.Member(name: "sub", value: .null), JSON.Member(name: "username", value: .null)]),
            .untrustedResponse
        ),
    ]

    @Test(arguments: Source.allCases, failures.indices)
    func `A server that does not say whose a refreshed token is costs the access token and never the sign-in`(
        source: Source, index: Int
    ) async throws {
        let (fault, code) = Self.failures[index]
        try await Self.expired(source) { world, application in
            let accessTokens = try Self.stored(world, .accessToken)
            world.provider.bend(Fault(fault, endpoint: source.endpoint))
            // Each refusal spends one refresh token, and the next call has its successor.
            for _ in 0..<2 {
                let spent = try Self.stored(world, .refreshToken)
                let refused = await application.silent(Self.request).refusal
                #expect(refused?.code == code && refused?.result == nil, "\(String(describing: refused))")
                #expect(refused?.message.contains("does not say whose the refreshed token is") == true)
                #expect(refused?.hint?.description.contains("the sign-in is kept") == true)
                let next = try Self.stored(world, .refreshToken)
                #expect(next.count == 1 && next != spent)
                #expect(try Self.stored(world, .accessToken) == accessTokens)
                // The throttle of the server's own answer passes.
                try world.advance(10)
            }
            world.provider.clearFaults()
            if source == .introspection { world.provider.bend(Fault(.quirk(.noUserinfo))) }
            #expect(await application.silent(Self.request).source == .refresh)
        }
    }
}
