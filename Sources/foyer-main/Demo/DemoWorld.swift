import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import Wire

/// The accounts of `foyer demo`: the sandbox's users, signed in for real by device codes approved immediately.
struct DemoWorld: Sendable {
    private struct SignIn: Sendable {
        let username: String
        let clientID: String
        let authority: Authority
        let scopes: ScopeSet
        /// Members to override in the token response for this user; nil: none.
        let tokenFields: JSONValue?
        /// In the sample Azure CLI store instead of foyer's own.
        let isInAzureCLI: Bool

        init(_ value: JSONValue) throws(Failure) {
            guard let username = value["username"]?.string, let clientID = value["clientId"]?.string,
                let address = value["authority"]?.string,
                let kind = Authority.Kind(rawValue: value["kind"]?.string ?? "")
            else { throw Failure(.unavailable, "the sandbox listed no users") }
            self.username = username
            self.clientID = clientID
            do { authority = try Authority(address, kind: kind) } catch {
                throw Failure(.configuration, "invalid sandbox address: \(error)")
            }
            scopes = ScopeSet((value["scopes"]?.array ?? []).compactMap(\.string))
            tokenFields = value["tokenFields"]
            isInAzureCLI = value["store"]?.string == "Azure CLI"
        }
    }

    /// A program with a rule in the demo's settings.
    static let ruledProgram = "terraform"

    let settingsPath: String
    let storePath: String
    private let azureFolder: String
    private let base: String
    private let provider: Provider
    private let signIns: [SignIn]

    init(_ sandbox: SandboxProcess, folder: String) throws(Failure) {
        guard let authority = sandbox.description["authority"]?.string, let address = try? WebAddress(authority),
            let samples = sandbox.description["samples"], let people = samples["signIns"]?.array,
            let clients = samples["clients"]?.array
        else {
            throw Failure(.unavailable, "the sandbox sent an incomplete description")
        }
        base = address.origin
        settingsPath = folder + "/config.toml"
        storePath = folder + "/token_cache.json"
        azureFolder = folder + "/.azure"
        provider = Provider(PublicClientApplication.NetworkSettings(productName: Product.name))
        var signIns: [SignIn] = []
        for person in people { signIns.append(try SignIn(person)) }
        self.signIns = signIns
        try write(try Self.settings(clients), to: settingsPath)
    }

    func populate() async throws(Failure) {
        try installAzureCLI()
        for person in signIns {
            guard let fields = person.tokenFields else { continue }
            try await control(
                "faults",
                JSONValue(
                    ("kind", "override".json), ("endpoint", "token:device_code".json), ("user", person.username.json),
                    ("fields", fields)))
        }
        let failures = await withTaskGroup(of: Failure?.self) { group in
            for person in signIns { group.addTask { await signIn(person) } }
            return await group.reduce(into: [Failure]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        // Clears the faults only; the accounts stay signed in.
        try await control("faults/clear", .object(JSONObject()))
        if let failure = failures.first { throw failure }
        await provider.close()
    }

    private func signIn(_ person: SignIn) async -> Failure? {
        do throws(Failure) {
            let path = person.isInAzureCLI ? azureFolder + "/msal_token_cache.json" : storePath
            let configuration = PublicClientApplication.Configuration(
                clientID: person.clientID, authority: person.authority, store: path)
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

    private func approve(_ codes: AsyncStream<String>, _ person: SignIn) async {
        for await code in codes {
            try? await control("approve", JSONValue(("user_code", code.json), ("username", person.username.json)))
        }
    }

    private func control(_ command: String, _ body: JSONValue) async throws(Failure) {
        do {
            let address = try WebAddress(base + "/_sandbox/" + command)
            let reply = try await provider.transport.send(HTTPRequest(address, body: .json(body)))
            guard reply.status == 200 else {
                throw Failure(.unavailable, "the sandbox refused \(command) (HTTP \(reply.status))")
            }
        } catch let failure as Failure { throw failure } catch {
            throw Failure(.unavailable, "cannot reach the sandbox")
        }
    }

    /// The Azure CLI's file besides its tokens: the subscriptions of the signed-in user.
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
        do throws(NewFile.Problem) { try NewFile.write(text, to: path) } catch {
            throw Failure(.storeError, "\(path): \(error.error)")
        }
    }

    private static func settings(_ clients: [JSONValue]) throws(Failure) -> String {
        var text = ""
        for client in clients {
            guard let name = client["name"]?.string, let clientID = client["clientId"]?.string,
                let authority = client["authority"]?.string, let kind = client["kind"]?.string
            else { throw Failure(.unavailable, "the sandbox listed no clients") }
            let scopes = (client["scopes"]?.array ?? []).compactMap(\.string)
            if text.isEmpty { text = "client = \"\(name)\"\n" }
            text += """

                [clients."\(name)"]
                client_id = "\(clientID)"
                authority = "\(authority)"
                kind = "\(kind)"
                scopes = [\(scopes.map { "\"\($0)\"" }.joined(separator: ", "))]

                """
        }
        return text + """

            [[rules]]
            program = "\(ruledProgram)"
            account = "ada@contoso.example"

            """
    }
}
