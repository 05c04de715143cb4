import ArgumentParser
import CommandSupport
import Identity
import SilentFirst
import StrictJSON
import StrictTOML

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client at an OpenID Connect provider",
        discussion: """
            The provider has to take registrations. The client is written into the settings.
            A redirect URI without a port, such as http://127.0.0.1/, lets each sign-in take a free port, as RFC 8252 \
            wants it of providers. One that compares the port needs a fixed one: --redirect-uri \
            http://127.0.0.1:8400/. Without --scope the usual ones are asked for, as far as the provider lists them.
            """)
    @Argument(help: "Name for the settings: letters, digits, - and _")
    var name: String
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Loopback redirect URI (default http://127.0.0.1/)", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/"
    @Option(help: ArgumentHelp("Issuer, where it is not the authority's address", valueName: "uri"))
    var issuer: String?
    @Option(
        help: ArgumentHelp(
            "Endpoint that the metadata lacks or names wrongly: registration=https://…; repeatable",
            valueName: "name=url"))
    var endpoint: [String] = []
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        guard !name.isEmpty, name.utf8.count <= 64,
            name.utf8.allSatisfy({
                ($0 < 0x80 && Character(UnicodeScalar($0)).isLetter) || (0x30...0x39).contains($0) || $0 == 0x2D
                    || $0 == 0x5F
            })
        else { throw Failure(.usage, "\"\(name)\" is no name for a client", hint: "use letters, digits, - and _") }
        guard session.settings.client(named: name) == nil else {
            throw Failure(
                .usage, "\(session.settings.path) has a client \"\(name)\" already", hint: "choose another name")
        }
        guard let text = shared.authority ?? session.environment["FOYER_AUTHORITY"] else {
            throw Failure(
                .usage, "--authority names the provider", hint: "write --authority https://id.example.org/realms/lab")
        }
        let authority: Authority
        do { authority = try Authority(text, kind: .oidc) } catch { throw Failure(.usage, "\(text): \(error)") }
        let endpoints = try manualEndpoints()
        try checkRedirectURI()
        let line = StatusLine(session)
        line?.show(after: 1, counting: "registering")
        defer { line?.stop() }
        let client = try await PublicClientApplication.register(
            name: "foyer (\(name))", at: authority, redirectURI: redirectURI,
            scopes: shared.scopes.isEmpty ? nil : ScopeSet(shared.scopes),
            endpoints: endpoints, network: session.network())
        line?.stop()
        do throws(Failure) {
            try write(client, text, endpoints, to: SettingsFile(session.settings.path))
        } catch {
            throw Failure(
                error.code, error.message,
                hint: "the provider has registered \(client.clientID); write it into \(session.settings.path) by hand")
        }
        session.output.result(
            JSONValue(
                ("clientId", client.clientID.json), ("name", name.json), ("authority", text.json),
                ("settings", session.settings.path.json), ("redirectUri", client.redirectURI.json),
                ("scopes", client.scopes.json)),
            or: ["registered as \(client.clientID); \(session.short(session.settings.path)) has it as \"\(name)\""]
                + notes(client) + ["next: foyer sign-in --client \(name.shellWord)"])
    }

    /// What a person should know of the registration before the first sign-in.
    private func notes(_ client: PublicClientApplication.RegisteredClient) -> [String] {
        var notes: [String] = []
        if client.redirectURI != redirectURI {
            notes.append("the provider registered \(client.redirectURI) in place of \(redirectURI)")
        }
        if let port = (try? WebAddress(client.redirectURI))?.port {
            notes.append(
                "each sign-in by browser uses port \(port), so one at a time, and none while another program has it")
        }
        if !client.mayRefresh {
            notes.append("the provider lets it refresh nothing: a sign-in lasts as long as its access token")
        }
        return notes
    }

    private func checkRedirectURI() throws {
        guard let address = try? WebAddress(redirectURI), address.isLoopback, !address.isSecure, address.query == nil
        else {
            throw Failure(
                .usage, "--redirect-uri is no http address of this machine",
                hint: "write http://127.0.0.1/, or http://127.0.0.1:8400/ for a provider that compares the port")
        }
    }

    private func manualEndpoints() throws -> EndpointOverrides {
        var endpoints = EndpointOverrides()
        endpoints.issuer = try issuer.map { try Self.address($0, "--issuer").text }
        for text in endpoint {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2,
                let (_, member) = ClientBehaviour.endpointNames.first(where: { $0.name == parts[0] })
            else {
                throw Failure(
                    .usage, "--endpoint takes NAME=URL",
                    hint: "the names are \(ClientBehaviour.endpointNames.map(\.name).joined(separator: ", "))")
            }
            endpoints[keyPath: member] = try Self.address(parts[1], "--endpoint \(parts[0])")
        }
        return endpoints
    }

    private static func address(_ text: String, _ option: String) throws -> WebAddress {
        do { return try WebAddress(text) } catch {
            throw Failure(.usage, "\(option): \(error)", hint: "write https://…")
        }
    }

    private func write(
        _ client: PublicClientApplication.RegisteredClient, _ authority: String, _ endpoints: EndpointOverrides,
        to file: SettingsFile
    ) throws(Failure) {
        let given = ClientBehaviour.endpointNames.compactMap { name, member in
            endpoints[keyPath: member].map { (key: name, value: TOMLText.text($0.text)) }
        }
        try file.add(
            client: name, clientID: client.clientID,
            [
                (key: "authority", value: .text(authority)), (key: "kind", value: .text("oidc")),
                (key: "redirect_uri", value: .text(client.redirectURI)),
                (key: "scopes", value: .texts(client.scopes.names)),
            ] + (endpoints.issuer.map { [(key: "issuer", value: .text($0))] } ?? []), endpoints: given)
    }
}
