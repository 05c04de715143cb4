import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import Wire

/// The people of the demo, signed in for real at the sandbox: each by a device code that is approved on the spot.
struct DemoWorld: Sendable {
    /// One sign-in of the demo.
    private struct Person: Sendable {
        var username: String
        var client: String
        /// As the sandbox names it, or a tenant of its Entra side.
        var at: String
        var kind = Authority.Kind.aad
        var scopes: ScopeSet
        var end: End = .valid
        /// In the made-up Azure CLI's store instead of foyer's own.
        var isInAzureCLI = false
    }

    /// How the account shall stand afterwards.
    private enum End: Sendable {
        case valid
        /// The access token is about to end; the refresh token is there.
        case ending
        /// The access token is about to end and no refresh token was given.
        case over
    }

    let settingsPath: String
    let storePath: String
    private let azureFolder: String
    private let base: String
    private let provider: Provider
    /// The sandbox's authorities by name.
    private let authorities: JSONObject?

    private static let b2cApp = "b2c11111-2222-4333-8444-555555555555"
    private static let adfsApp = "adf11111-2222-4333-8444-555555555555"
    private static let ciamApp = "c1a11111-2222-4333-8444-555555555555"
    private static let tryOut = "11111111-2222-3333-4444-555555555555"
    private static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    private static let lab = "lab-cli"

    init(_ sandbox: SandboxProcess, folder: String) throws(Failure) {
        guard let authority = sandbox.description["authority"]?.string, let address = try? WebAddress(authority) else {
            throw Failure(.unavailable, "the sandbox did not say where it is")
        }
        base = address.origin
        authorities = sandbox.description["authorities"]?.object
        settingsPath = folder + "/config.toml"
        storePath = folder + "/token_cache.json"
        azureFolder = folder + "/.azure"
        provider = Provider(PublicClientApplication.NetworkSettings(productName: Product.name))
        try write()
    }

    func populate() async throws(Failure) {
        let people = [
            Person(
                username: "ada@contoso.example", client: Self.tryOut, at: "organizations",
                scopes: ["User.Read", "Mail.Read"]),
            Person(username: "ada@contoso.example", client: Self.tryOut, at: "guest", scopes: ["User.Read"]),
            Person(
                username: "grace@fabrikam.example", client: Self.azureCLI, at: "organizations",
                scopes: ["https://management.azure.com//.default"]),
            Person(
                username: "taro@contoso.example", client: Self.tryOut, at: "organizations", scopes: ["Files.Read"],
                end: .ending),
            Person(
                username: "zoe@fabrikam.example", client: Self.azureCLI, at: "organizations", scopes: ["User.Read"],
                end: .over),
            Person(username: "alan@personal.example", client: Self.tryOut, at: "common", scopes: ["User.Read"]),
            Person(
                username: "hedy@lab.example", client: Self.lab, at: "oidc", kind: .oidc,
                scopes: ["openid", "profile", "email"]),
            Person(
                username: "emmy@lab.example", client: Self.lab, at: "oidc", kind: .oidc, scopes: ["openid", "profile"],
                end: .ending),
            Person(username: "barbara@corp.example", client: Self.adfsApp, at: "adfs", kind: .adfs, scopes: ["openid"]),
            Person(
                username: "chien@shop.example", client: Self.ciamApp, at: "ciam", kind: .ciam, scopes: ["User.Read"]),
            Person(username: "mary@litware.example", client: Self.tryOut, at: "sovereign", scopes: ["User.Read"]),
            Person(
                username: "ada@contoso.example", client: Self.azureCLI, at: "organizations",
                scopes: ["https://management.azure.com//.default"], isInAzureCLI: true),
        ]
        try installAzureCLI()
        for person in people where person.end != .valid {
            var fields: [JSONMember] = [JSONMember(name: "expires_in", value: 90)]
            if person.end == .over { fields.append(JSONMember(name: "refresh_token", value: .null)) }
            try await control(
                "faults",
                JSONValue(
                    ("kind", "override".json), ("endpoint", "token:device_code".json), ("user", person.username.json),
                    ("fields", .object(JSONObject(fields)))))
        }
        let failures = await withTaskGroup(of: Failure?.self) { group in
            for person in people { group.addTask { await signIn(person) } }
            return await group.reduce(into: [Failure]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        try await control("faults", nil)
        if let failure = failures.first { throw failure }
        await provider.close()
    }

    private func signIn(_ person: Person) async -> Failure? {
        do throws(Failure) {
            let authority: Authority
            do { authority = try Authority(address(person.at), kind: person.kind) } catch {
                throw Failure(.configuration, "the sandbox's address: \(error)")
            }
            let path = person.isInAzureCLI ? azureFolder + "/msal_token_cache.json" : storePath
            let configuration = PublicClientApplication.Configuration(
                clientID: person.client, authority: authority, store: path)
            let application = PublicClientApplication(
                configuration, cache: TokenCache(path: path), provider: provider, now: { Date() })
            let approvals = AsyncStream.makeStream(of: String.self)
            async let approval: Void = approve(approvals.stream, person)
            let request = TokenRequest(scopes: person.scopes, method: .device, loginHint: person.username)
            defer { approvals.continuation.finish() }
            _ = try await application.acquireToken(request, userAgents: .deviceCodeOnly) { event in
                if case .deviceCode(let prompt) = event { approvals.continuation.yield(prompt.userCode) }
            }
            approvals.continuation.finish()
            await approval
            return nil
        } catch { return error }
    }

    /// Names with a policy are written as `b2c.POLICY`.
    private func address(_ name: String) -> String {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let found = authorities?[parts[0]]
        return (parts.count == 2 ? found?[parts[1]]?.string : found?.string) ?? base + "/" + name
    }

    private func approve(_ codes: AsyncStream<String>, _ person: Person) async {
        for await code in codes {
            try? await control("approve", JSONValue(("user_code", code.json), ("username", person.username.json)))
        }
    }

    /// The sandbox's control endpoint; without a body, faults are cleared.
    private func control(_ command: String, _ body: JSONValue?) async throws(Failure) {
        do {
            let address = try WebAddress(base + "/_sandbox/" + (body == nil ? "reset" : command))
            let reply = try await provider.transport.send(
                HTTPRequest(address, body: .json(body ?? .object(JSONObject()))))
            guard reply.status == 200 else {
                throw Failure(.unavailable, "the sandbox refused \(command) (HTTP \(reply.status))")
            }
        } catch let failure as Failure { throw failure } catch {
            throw Failure(.unavailable, "the sandbox was not reached")
        }
    }

    /// What the Azure CLI keeps besides its tokens: the subscriptions of whoever is signed in.
    private func installAzureCLI() throws(Failure) {
        mkdir(azureFolder, 0o700)
        let subscription = JSONValue(
            ("id", "5b5c2100-0000-4000-8000-000000000001".json), ("name", "Try-out".json), ("state", "Enabled".json),
            ("user", JSONValue(("name", "ada@contoso.example".json), ("type", "user".json))),
            ("isDefault", .bool(true)),
            ("environmentName", "AzureCloud".json))
        let profile = JSONValue(("installationId", "demo".json), ("subscriptions", .array([subscription])))
        try write(profile.serialized(), to: azureFolder + "/azureProfile.json")
    }

    private func write(_ text: String, to path: String) throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(.storeError, "\(path): \(String(cString: strerror(errno)))") }
        Output.write(text, to: file)
        close(file)
    }

    /// The demo's settings, so that its clients can be chosen by name.
    private func write() throws(Failure) {
        let text = """
            client = "try-out"

            [clients.try-out]
            client_id = "\(Self.tryOut)"
            authority = "\(base)/organizations"
            scopes = ["User.Read"]

            [clients."Azure CLI"]
            client_id = "\(Self.azureCLI)"
            authority = "\(base)/organizations"
            scopes = ["https://management.azure.com//.default"]

            [clients.lab]
            client_id = "\(Self.lab)"
            authority = "\(base)/oidc"
            kind = "oidc"
            scopes = ["openid", "profile", "email", "offline_access"]

            [clients.customers]
            client_id = "\(Self.b2cApp)"
            authority = "\(address("b2c.B2C_1_signin"))"
            kind = "b2c"
            scopes = ["https://tailspin.example/notes/read"]

            [clients.corporate]
            client_id = "\(Self.adfsApp)"
            authority = "\(address("adfs"))"
            kind = "adfs"
            scopes = ["openid"]

            [clients.shop]
            client_id = "\(Self.ciamApp)"
            authority = "\(address("ciam"))"
            kind = "ciam"
            scopes = ["User.Read"]

            """
        try write(text, to: settingsPath)
    }
}
