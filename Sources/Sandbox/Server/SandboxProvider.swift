import FoundationEssentials

/// An OAuth 2.0 and OpenID Connect provider on loopback, for testing.
///
/// It is written from the RFCs and the observed behavior of Entra ID, without reading the client's code, so that
/// misreadings show up as differences. It stores nothing: stopping it discards everything.
package final class SandboxProvider: Sendable {
    package struct Options: Sendable {
        /// 0 selects a free one.
        package var port = 0
        package var tls = false
        /// The file for the authority's certificate, mode 0644; nil for a new file in the temporary directory.
        package var caFile: String?
        /// Seconds.
        package var accessTokenLifetime = 3600
        /// The user that pages sign in automatically.
        package var auto: String?
        /// Seconds between polls.
        package var deviceInterval = 5

        package init() {}
    }

    package enum StartError: Error, Sendable, Equatable {
        case noSuchUser(String)
        case wrongOption(String)
        case refused(String)
        case notListening(String)
        case caFile(String)
    }

    package let port: Int
    /// Scheme, host and port, without a trailing slash.
    package let baseURL: String
    /// The base URL of the sovereign cloud: another host with its own issuer, keys, users and instance metadata.
    package let sovereignBaseURL: String
    package let caFile: String?
    private let ownsCAFile: Bool
    let state: LockedProviderState
    private let listeners: [Listener]

    package var issuer: String { baseURL + "/oidc" }

    private init(origins: Origins, caFile: String?, ownsCAFile: Bool, state: LockedProviderState, listeners: [Listener])
    {
        port = origins.port
        baseURL = origins.base
        sovereignBaseURL = origins.sovereignBase
        self.caFile = caFile
        self.ownsCAFile = ownsCAFile
        self.state = state
        self.listeners = listeners
    }

    package static func start(_ options: Options = Options()) async throws -> SandboxProvider {
        if let auto = options.auto, Directory.user(auto) == nil { throw StartError.noSuchUser(auto) }
        guard (1...31_536_000).contains(options.accessTokenLifetime) else {
            throw StartError.wrongOption("the lifetime must be 1 second to 1 year")
        }
        guard (0...3600).contains(options.deviceInterval) else {
            throw StartError.wrongOption("the interval must be 0 to 3600 seconds")
        }
        guard (0...65535).contains(options.port) else { throw StartError.wrongOption("the port must be 0 to 65535") }
        let state = LockedProviderState(
            try ProviderState(
                ProviderState.Settings(
                    accessTokenLifetime: options.accessTokenLifetime, deviceInterval: options.deviceInterval,
                    auto: options.auto)))
        let certificates = options.tls ? try Certificates() : nil
        let global = try await Listener.open(
            Server(state: state, cloud: .global), at: ("127.0.0.1", options.port), tls: certificates?.tls)
        let sovereign: Listener
        do { sovereign = try await Listener.openSovereign(state, port: global.port, tls: certificates?.tls) } catch {
            await global.close()
            throw error
        }
        let listeners = [global, sovereign]
        let origins = Origins(
            scheme: options.tls ? "https" : "http", port: global.port, sovereignHost: sovereign.host,
            sovereignPort: sovereign.port)
        state.with { $0.origins = origins }
        var caFile: String?
        if let certificates {
            let path =
                options.caFile
                ?? "\(FileManager.default.temporaryDirectory.path)/foyer-sandbox-ca-\(RandomValue.uuid()).pem"
            guard
                FileManager.default.createFile(
                    atPath: path, contents: Data(certificates.authorityPEM.utf8), attributes: [.posixPermissions: 0o644]
                )
            else {
                for listener in listeners { await listener.close() }
                throw StartError.caFile(path)
            }
            caFile = path
        }
        return SandboxProvider(
            origins: origins, caFile: caFile, ownsCAFile: options.caFile == nil, state: state, listeners: listeners)
    }

    /// Stops listening, and removes the certificate file if it was created with a temporary name.
    package func stop() async {
        for listener in listeners { await listener.close() }
        if ownsCAFile, let caFile { try? FileManager.default.removeItem(atPath: caFile) }
    }

    /// Everything that a program needs to use the sandbox: the first line of `foyer-sandbox --json`.
    package var summary: JSON {
        let authorities = state.with { $0.origins.authorities }
        return .members([
            "issuer": .string(issuer), "authority": .string(authority()), "port": .int(port),
            "caFile": caFile.map { .string($0) },
            "clients": .array(Directory.clients.map(\.summary)), "users": .array(Directory.users.map(\.summary)),
            "authorities": authorities, "servers": Directory.oauthServers(base: baseURL),
            "samples": .members([
                "clients": .array(SampleClient.all.map { $0.summary(authorities) }),
                "signIns": .array(SampleSignIn.all.map { $0.summary(authorities) }),
            ]),
        ])
    }

    // MARK: Control

    package func bend(_ faults: Fault...) { state.with { $0.script.add(faults) } }
    /// Lets the responses that ``Fault/Kind/held`` keeps back be sent.
    package func release() { state.with { $0.script.release() } }
    package func clearFaults() { state.with { $0.script.clear() } }
    package func reset() { state.with { $0.reset() } }

    package func advanceClock(by seconds: Int) throws {
        try unwrap(
            state.with { state in
                Result { () throws(OAuthErrorResponse) in try state.clock.advance(by: seconds) }
            })
    }

    /// The number of requests to an endpoint: `token`, `token:refresh_token`, `devicecode`, `discovery`, `keys`, …
    package func requests(_ name: String) -> Int { state.with { $0.requests.counts[name] ?? 0 } }

    /// Endpoint and issuer of each token sent to a plain issuer that did not issue it.
    package var misplacedTokens: [String] { state.with { $0.requests.misplaced } }

    /// Another plain issuer, with its own path on the same host and port.
    package func issuer(named name: String) -> String { baseURL + "/realms/" + name }

    /// Seconds since 1970 by the sandbox's clock.
    package var now: Int { state.with { $0.now } }

    /// - Parameter scopes: the granted scopes; nil for all.
    package func approve(userCode: String, username: String, scopes: [String]? = nil, deny: Bool = false) throws {
        try unwrap(
            state.with { state in
                Result { () throws(OAuthErrorResponse) in
                    try state.approve(userCode: userCode, username: username, scopes: scopes, deny: deny)
                }
            })
    }

    @discardableResult
    package func revoke(username: String, client: String? = nil) -> Int {
        state.with { $0.tokens.revoke(username: username, clientId: client) }
    }

    /// Requires an authentication context for tokens of a tenant; nil removes the requirement.
    package func demandContext(_ context: String?, tenant: String) throws {
        try unwrap(
            state.with { state in
                Result { () throws(OAuthErrorResponse) in try state.contextDemands.demand(context, tenant: tenant) }
            })
    }

    /// The one-time codes that were mailed to an address, newest first.
    package func codes(mailedTo address: String) -> [String] {
        state.with { $0.mailbox.mails(to: address).map(\.code) }
    }

    package func answerPages(as username: String?) { state.with { $0.browser.auto = username } }

    package func rotateKeys(to algorithm: SigningAlgorithm = .rs256) throws {
        let problem = state.with { state in
            do { try state.keys.rotate(to: algorithm) } catch { return Optional("\(error)") }
            return nil
        }
        if let problem { throw StartError.refused(problem) }
    }

    package func issue(
        username: String, client: String = Directory.tryOut, tenant: String = "common",
        scope: String = "User.Read openid profile offline_access",
        nonce: String? = nil
    ) throws -> JSON {
        let base = baseURL
        return try unwrap(
            state.with { state in
                Result { () throws(OAuthErrorResponse) in
                    try state.issue(
                        username: username, clientId: client, tenant: tenant, scope: scope, nonce: nonce, base: base)
                }
            })
    }

    /// The response to a request without using the network, as from `http://127.0.0.1:PORT` or the address in the
    /// `host` header.
    package func answer(_ request: SandboxRequest) -> SandboxResponse {
        state.with { state in
            let host = request.headers["host"]
            let base =
                state.origins.base(for: host, arrivedAt: .global)
                ?? state.origins.base(for: host, arrivedAt: .sovereign)
            return state.answer(request, base: base ?? state.origins.base)
        }
    }

    private func unwrap<Value>(_ result: Result<Value, OAuthErrorResponse>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal): throw StartError.refused(refusal.description)
        }
    }
}
