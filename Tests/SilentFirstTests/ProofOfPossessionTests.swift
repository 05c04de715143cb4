import FoundationEssentials
import Identity
import Sandbox
import SilentFirst
import Testing
import TokenCache
import Waiting
import Wire

/// Tokens that are bound to a key, end to end at the sandbox: its own reading of RFC 9449 and of MSAL's scheme judges
/// the proofs.
struct ProofOfPossessionTests {
    private func agents(_ sandbox: SandboxProvider, _ username: String) -> (@Sendable (SignInEvent) -> Void) {
        { event in
            if case .deviceCode(let prompt) = event {
                try? sandbox.approve(userCode: prompt.userCode, username: username)
            }
        }
    }

    private func sandbox() async throws -> SandboxProvider {
        var options = SandboxProvider.Options()
        options.deviceInterval = 0
        return try await SandboxProvider.start(options)
    }

    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/foyer-proof-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `An OpenID Connect account is bound to its key: sign-in, cache, refresh and resource`() async throws {
        let sandbox = try await sandbox()
        let path = try folder()
        let authority = try Authority(sandbox.issuer, kind: .oidc)
        var configuration = PublicClientApplication.Configuration(
            clientID: "lab-cli", authority: authority, store: path + "/cache.json", network: .patient)
        configuration.proofOfPossession = true
        let application = PublicClientApplication(configuration)
        let resource = try #require(ResourceRequest(method: "GET", address: WebAddress(sandbox.issuer + "/userinfo")))
        let wish = TokenRequest(scopes: ["openid", "profile"], proof: resource, method: .device)
        let first = try await application.acquireToken(
            wish, userAgents: .deviceCodeOnly, onEvent: agents(sandbox, "hedy@lab.example"))
        #expect(first.tokenType == "DPoP")
        #expect(try await shows(first, resource.address) == 200)
        #expect(try await shows(first, resource.address) == 401, "a proof is good once")

        let again = try await application.acquireTokenSilent(wish)
        #expect(again.source == .cache && again.accessToken == first.accessToken)
        #expect(try await shows(again, resource.address) == 200)

        var forced = wish
        forced.forceRefresh = true
        let renewed = try await application.acquireTokenSilent(forced)
        #expect(
            renewed.source == .refresh && renewed.tokenType == "DPoP" && renewed.proof?.keyID == first.proof?.keyID,
            "X5: the same key")
        #expect(try await shows(renewed, resource.address) == 200)

        // Without its key the sign-in is over, and another program's bearer request does not get it back.
        try FileManager.default.removeItem(atPath: path + "/cache.json.keys")
        await #expect(throws: Failure.self) { try await application.acquireTokenSilent(forced) }
        await application.close()
        await sandbox.stop()
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Entra ID's tokens are bound by req_cnf and shown in a signed request`() async throws {
        let sandbox = try await sandbox()
        let path = try folder()
        let authority = try Authority(sandbox.authority("organizations"), kind: .aad)
        let application = PublicClientApplication(
            PublicClientApplication.Configuration(
                clientID: Directory.tryOut, authority: authority, store: path + "/cache.json", network: .patient))
        let plain = try await application.acquireToken(
            TokenRequest(scopes: ["User.Read"], method: .device), userAgents: .deviceCodeOnly,
            onEvent: agents(sandbox, "ada@contoso.example"))
        #expect(plain.tokenType == "Bearer" && plain.proof == nil)
        let resource = try #require(ResourceRequest(method: "GET", address: WebAddress(sandbox.baseURL + "/resource")))
        let bound = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"], proof: resource))
        #expect(
            bound.source == .refresh && bound.accessToken != plain.accessToken,
            "a bearer token never answers for a bound one")
        #expect(bound.proof?.scheme == .pop)
        #expect(try await shows(bound, resource.address) == 200)
        let kept = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"], proof: resource))
        #expect(kept.source == .cache && kept.accessToken == bound.accessToken)
        let bearer = try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"]))
        #expect(bearer.accessToken == plain.accessToken, "and a bound one never for a bearer token")
        await application.close()
        await sandbox.stop()
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A token endpoint that wants a nonce in proofs gets it, at the price of one more request the first time`()
        async throws
    {
        let sandbox = try await sandbox()
        sandbox.bend(Fault(.quirk(.proofNonce)))
        let path = try folder()
        let authority = try Authority(sandbox.issuer, kind: .oidc)
        var configuration = PublicClientApplication.Configuration(
            clientID: "lab-cli", authority: authority, store: path + "/cache.json", network: .patient)
        configuration.proofOfPossession = true
        let application = PublicClientApplication(configuration)
        var wish = TokenRequest(scopes: ["openid", "profile"], method: .device)
        let first = try await application.acquireToken(
            wish, userAgents: .deviceCodeOnly, onEvent: agents(sandbox, "hedy@lab.example"))
        #expect(first.tokenType == "DPoP")
        wish.forceRefresh = true
        for count in 1...3 {
            #expect(try await application.acquireTokenSilent(wish).source == .refresh)
            #expect(sandbox.requests("token:refresh_token") == count, "the nonce came with the answer before")
        }
        // Another process knows no nonce.
        let other = PublicClientApplication(configuration)
        #expect(try await other.acquireTokenSilent(wish).source == .refresh)
        #expect(sandbox.requests("token:refresh_token") == 5)
        await application.close()
        await other.close()
        await sandbox.stop()
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A resource that wants a nonce in signed requests is shown the one that it named, once`() async throws {
        let sandbox = try await sandbox()
        let path = try folder()
        let authority = try Authority(sandbox.authority("organizations"), kind: .aad)
        let application = PublicClientApplication(
            PublicClientApplication.Configuration(
                clientID: Directory.tryOut, authority: authority, store: path + "/cache.json", network: .patient))
        _ = try await application.acquireToken(
            TokenRequest(scopes: ["User.Read"], method: .device), userAgents: .deviceCodeOnly,
            onEvent: agents(sandbox, "ada@contoso.example"))
        sandbox.bend(Fault(.quirk(.popNonce)))
        let address = try WebAddress(sandbox.baseURL + "/resource")
        func token(_ nonce: String?) async throws -> AcquiredToken {
            let resource = try #require(ResourceRequest(method: "GET", address: address, nonce: nonce))
            return try await application.acquireTokenSilent(TokenRequest(scopes: ["User.Read"], proof: resource))
        }
        let reply = try await show(try await token(nil), address)
        let challenge = try #require(reply.header("www-authenticate"))
        #expect(reply.status == 401 && challenge.hasPrefix("PoP nonce=\""))
        let nonce = String(challenge.dropFirst(11).dropLast())
        let bound = try await token(nonce)
        #expect(try await shows(bound, address) == 200)
        #expect(try await shows(bound, address) == 401, "a nonce is good once")
        await application.close()
        await sandbox.stop()
    }

    /// The status that the resource answers with.
    private func shows(_ token: AcquiredToken, _ address: WebAddress) async throws -> Int {
        try await show(token, address).status
    }

    private func show(_ token: AcquiredToken, _ address: WebAddress) async throws -> HTTPReply {
        let proof = try #require(token.proof)
        let transport = Transport(.patient)
        let headers = proof.fields.map { field in
            let parts = field.reveal().split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
        let reply = try await transport.send(HTTPRequest(address, headers: headers))
        await transport.close()
        return reply
    }
}
