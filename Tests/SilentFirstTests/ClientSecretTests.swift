import Foundation
import Identity
import SilentCore
import SilentFirst
import Testing
import TokenCache

@testable import Sandbox

@Suite struct ClientSecretTests {
    private static let request = TokenRequest(scopes: ["openid", "profile", "offline_access"])

    private static func application(
        _ world: World, _ proxy: RecordingProxy, _ source: ClientSecret.Source
    ) throws -> PublicClientApplication {
        var configuration = ClientConfiguration(
            clientID: Directory.labCLI, authority: try Authority(proxy.baseURL + "/oidc", kind: .oidc),
            store: world.store, network: .patient)
        configuration.clientSecret = ClientSecret(source, method: .post)
        return PublicClientApplication(
            configuration, cache: world.cache, provider: Provider(configuration.network), now: { world.now })
    }

    /// A program that prints the secret, and the number of its runs so far.
    private static func counted(_ world: World) -> (source: ClientSecret.Source, count: () -> Int) {
        let log = world.store + ".runs"
        return (
            .command(["sh", "-c", "echo run >> '\(log)'; echo s3cret"]),
            { ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").count }
        )
    }

    @Test func `The secret is read once for each call that sends a request, and never for a cached token`()
        async throws
    {
        try await World.open { world in
            try await world.withProxy { proxy in
                try FileManager.default.createDirectory(
                    atPath: world.cache.folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                let (source, count) = Self.counted(world)
                let application = try Self.application(world, proxy, source)
                let token = try await world.signIn(application, "hedy@lab.example", scopes: Self.request.scopes)
                #expect(count() == 1)
                #expect(try await application.acquireTokenSilent(Self.request).source == .cache && count() == 1)
                try world.advance(4000)
                #expect(try await application.acquireTokenSilent(Self.request).source == .refresh && count() == 2)
                #expect(try await application.acquireTokenSilent(Self.request).source == .cache && count() == 2)
                _ = try await application.signOut(
                    token.account, options: SignOutOptions(revokesAccessTokens: true, endsBrowserSession: false),
                    userAgents: .deviceCodeOnly)
                #expect(count() == 3)
                let asked = proxy.tokenRequests + proxy.requests("/revoke") + proxy.requests("/devicecode")
                #expect(asked.count > 3 && !proxy.requests("/revoke").isEmpty)
                #expect(asked.allSatisfy { $0.fields["client_secret"] == "s3cret" })
                #expect(!(try String(contentsOfFile: world.store, encoding: .utf8)).contains("s3cret"))
                await application.close()
            }
        }
    }

    @Test func `A secret that cannot be read ends a call before anything is spent, and the tokens stay`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let missing = try Self.application(world, proxy, .file(world.store + ".none"))
                let refused = await failure { () throws(Failure) in
                    try await missing.acquireToken(Self.request, userAgents: .deviceCodeOnly)
                }
                #expect(refused?.code == .configuration && proxy.requests("/devicecode").isEmpty)
                let whole = try Self.application(world, proxy, .published(Secret("s3cret")))
                try await world.signIn(whole, "hedy@lab.example", scopes: Self.request.scopes)
                let held = try world.refreshTokens()
                let sent = proxy.tokenRequests.count
                try world.advance(4000)
                let silent = await failure { () throws(Failure) in try await missing.acquireTokenSilent(Self.request) }
                #expect(silent?.code == .configuration && proxy.tokenRequests.count == sent)
                #expect(try world.refreshTokens() == held)
                #expect(try await whole.acquireTokenSilent(Self.request).source == .refresh)
                await missing.close()
                await whole.close()
            }
        }
    }

    @Test func `Another issuer of the same host does not get the secret, and has its own`() async throws {
        try await World.open { world in
            try await world.withProxy { proxy in
                let application = try Self.application(world, proxy, .kept)
                let owner = ClientSecretOwner(issuer: proxy.baseURL + "/oidc", clientID: Directory.labCLI)
                try ClientSecretStore(world.cache).set(Secret("s3cret"), of: owner)
                var request = Self.request
                request.authority = try Authority(proxy.baseURL + "/realms/one", kind: .oidc)
                request.method = .device
                _ = try await application.acquireToken(request, userAgents: .deviceCodeOnly) { event in
                    guard case .deviceCode(let prompt) = event else { return }
                    try? world.provider.approve(userCode: prompt.userCode, username: "hedy@lab.example", scopes: nil)
                }
                #expect(!proxy.tokenRequests.isEmpty)
                #expect(proxy.tokenRequests.allSatisfy { $0.fields["client_secret"] == nil })
                try await world.signIn(application, "hedy@lab.example", scopes: Self.request.scopes)
                #expect(proxy.tokenRequests.last?.fields["client_secret"] == "s3cret")
                await application.close()
            }
        }
    }

    @Test(arguments: [
        ("invalid_request", "client_secret is missing.", Failure.Hint.setClientSecret(isRequired: true)),
        ("incorrect_client_credentials", "wrong", .setClientSecret(isRequired: true)),
        ("invalid_client", "unknown", .setClientSecret(isRequired: false)),
    ])
    func `A provider that misses a secret leads to the setting, and one that rejects it to the secret`(
        error: String, description: String, hint: Failure.Hint
    ) {
        var refusal = OAuthError(error: error, description: description, status: 401)
        for inSignIn in [true, false] {
            #expect(Failure(refusal, inSignIn: inSignIn).hint == hint)
        }
        refusal.hadClientSecret = true
        #expect(Failure(refusal).hint == "check the client ID and its secret")
        #expect(Failure(refusal).code == .serverError)
    }
}

extension TokenCache {
    fileprivate var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) }
}
