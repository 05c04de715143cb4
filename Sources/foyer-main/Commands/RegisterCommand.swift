import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import StrictTOML
import Synchronization
import TokenCache

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client at an OpenID Connect provider or OAuth server",
        discussion: """
            The provider must support dynamic client registration. The client is saved in the settings.
            A redirect URI without a port, such as http://127.0.0.1/, lets each sign-in use any free port (RFC 8252). \
            A provider that compares ports needs a fixed one: --redirect-uri http://127.0.0.1:8400/. Without --scope, \
            requests the usual scopes that the provider lists. If the provider registers a client with a secret, it is \
            kept with the token store.
            """)
    @Argument(help: "Name for the settings: letters, digits, - and _")
    var name: String
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Loopback redirect URI (default http://127.0.0.1/)", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/"
    @Option(help: ArgumentHelp("Issuer, if it differs from the authority URL", valueName: "uri"))
    var issuer: String?
    @Option(
        help: ArgumentHelp(
            "Endpoint that is missing or wrong in the metadata: registration=https://…; repeatable",
            valueName: "name=url"))
    var endpoint: [String] = []
    @Flag(name: .customLong("oauth2"), help: "A server without OpenID Connect (kind oauth2)")
    var isOAuthOnly = false
    @Flag(name: .customLong("delete"), help: "Delete the registration at the provider, and its secret")
    var deletes = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        guard name.isClientName else {
            throw Failure(.usage, "invalid client name \"\(name)\"", hint: "use letters, digits, - and _")
        }
        let unfinished = UnfinishedRegistrations(session.environment, settings: session.settings.path)
        if deletes { return try await RegistrationDeletion(name, unfinished, session).run() }
        let named = shared.authority ?? session.environment["FOYER_AUTHORITY"]
        if let entry = unfinished.entry(name) {
            // Written, but not yet removed from the list.
            if session.settings.client(named: name) != nil {
                try unfinished.remove(name)
            } else if entry.clientID != nil, let named, named != entry.authority {
                throw Failure(
                    .usage, "\"\(name)\" is not finished at \(entry.authority): \(entry.words)",
                    hint: .text(entry.advice))
            } else if try await finish(entry, unfinished, session) {
                return
            }
        }
        guard session.settings.client(named: name) == nil else {
            throw Failure(
                .usage, "client \"\(name)\" already exists in \(session.settings.path)", hint: "choose another name")
        }
        guard let text = named else {
            throw Failure(
                .usage, "--authority is required", hint: "write --authority https://id.example.org/realms/lab")
        }
        let authority: Authority
        do { authority = try Authority(text, kind: isOAuthOnly ? .oauth2 : .oidc) } catch {
            throw Failure(.usage, "\(text): \(error)")
        }
        let endpoints = try manualEndpoints()
        try LoopbackRedirectURI.check(redirectURI, named: "--redirect-uri", code: .usage)
        let line = StatusLine(session)
        line?.show(after: 1, counting: "registering")
        defer { line?.stop() }
        let file = SettingsFile(session.settings.path)
        // Before anything is sent: not every provider deletes a registration again.
        try file.prove(client: name)
        var entry = UnfinishedRegistrations.Entry()
        (entry.name, entry.authority, entry.date) = (name, text, Date())
        try unfinished.note(entry)
        let client: PublicClientApplication.RegisteredClient
        let isSent = Mutex(false)
        do throws(Failure) {
            client = try await PublicClientApplication.register(
                name: "foyer (\(name))", at: authority, redirectURI: redirectURI,
                scopes: shared.scopes.isEmpty ? nil : ScopeSet(shared.scopes),
                endpoints: endpoints, network: session.network(), onSending: { isSent.withLock { $0 = true } })
        } catch {
            // Without an answer the provider may have registered it.
            guard isSent.withLock({ $0 }), error.code == .unavailable || error.code == .untrustedResponse else {
                try? unfinished.remove(name)
                throw error
            }
            var failure = error
            failure.message += "; the provider may have registered \"foyer (\(name))\" all the same"
            throw failure
        }
        line?.stop()
        (entry.clientID, entry.lines) = (client.clientID, lines(client, text, endpoints))
        try? unfinished.note(entry)
        let choice = ClientChoice(name, client, authority, endpoints)
        let place = try await keepSecret(of: client, choice, &entry, unfinished, session)
        do throws(Failure) { try file.add(client: name, client.clientID, entry.lines) } catch {
            throw await unwritten(client, entry, place, error, unfinished, session)
        }
        try? unfinished.remove(name)
        report(client.clientID, client.redirectURI, client.scopes, place, client.secretExpiresAt, text, session) {
            notes(client, place.map { session.label($0.cache) })
        }
    }

    private func report(
        _ clientID: String, _ redirectURI: String, _ scopes: ScopeSet, _ place: SecretPlace?, _ expiry: Date?,
        _ authority: String, _ session: CommandContext, notes: () -> [String]
    ) {
        session.output.result(
            JSONValue(
                ("clientId", clientID.json), ("name", name.json), ("authority", authority.json),
                ("settings", session.settings.path.json), ("redirectUri", redirectURI.json),
                ("scopes", scopes.json), ("secretStore", (place?.name).json),
                ("secretExpiresOn", expiry.json)),
            or: ["registered as \(clientID); \(session.short(session.settings.path)) has it as \"\(name)\""]
                + notes() + ["next: foyer sign-in --client \(name.shellWord)"])
    }

    /// Keeps the secret of a confidential client, with what deletes the registration later. A client without its secret
    /// is useless, so it is deleted again.
    ///
    /// - Returns: nil for a public client.
    private func keepSecret(
        of client: PublicClientApplication.RegisteredClient, _ choice: ClientChoice,
        _ entry: inout UnfinishedRegistrations.Entry, _ unfinished: UnfinishedRegistrations, _ session: CommandContext
    ) async throws(Failure) -> SecretPlace? {
        guard client.clientSecret != nil || client.access != nil else { return nil }
        do throws(Failure) {
            let place = try SecretPlace(choice, session, creates: true)
            (entry.store, entry.issuer) = (place.name, place.owner.issuer)
            try? unfinished.note(entry)
            try Failure.translating(
                try place.store.keep(
                    client.clientSecret, client.access, of: place.owner, expiresAt: client.secretExpiresAt))
            return client.clientSecret == nil ? nil : place
        } catch {
            guard client.clientSecret != nil else {
                session.output.warn("foyer cannot delete this registration later: \(error.message)")
                return nil
            }
            let isDeleted = await PublicClientApplication.delete(client, network: session.network())
            let result = isDeleted ? "was deleted again" : "is useless: delete it at the provider"
            try? unfinished.remove(name)
            throw Failure(
                error.code, "the client's secret could not be kept: \(error.message)",
                hint: .text(
                    ["the registration of \(client.clientID) \(result)", error.hint?.words].compactMap(\.self)
                        .joined(separator: "; ")))
        }
    }

    /// The settings could not be written after all: the client is deleted again, else everything about it is said.
    private func unwritten(
        _ client: PublicClientApplication.RegisteredClient, _ entry: UnfinishedRegistrations.Entry,
        _ place: SecretPlace?, _ error: Failure, _ unfinished: UnfinishedRegistrations, _ session: CommandContext
    ) async -> Failure {
        guard await PublicClientApplication.delete(client, network: session.network()) else {
            let secret = place.map { ", and its secret is kept in \(session.label($0.cache))" } ?? ""
            return Failure(
                error.code,
                "\(error.message); the provider has registered \(client.clientID)\(secret): to finish this later, "
                    + "run the same command again",
                hint: .write(lines: entry.lines, into: session.settings.path))
        }
        if let owner = entry.owner, let store = entry.store, let cache = try? session.cache(named: store) {
            try? ClientSecretStore(cache).forget(owner)
        }
        try? unfinished.remove(name)
        // Lines for a client that no longer exists are no help.
        let step: String? = if case .write? = error.hint { nil } else { error.hint?.words }
        return Failure(
            error.code, error.message,
            hint: .text(
                ["the registration of \(client.clientID) was deleted again", step].compactMap(\.self)
                    .joined(separator: "; ")))
    }

    private func notes(_ client: PublicClientApplication.RegisteredClient, _ store: String?) -> [String] {
        var notes: [String] = []
        if let store {
            let expiry = client.secretExpiresAt.map { " and expires on \($0.day)" } ?? ""
            notes.append("the provider gave it a secret, which is kept in \(store)\(expiry)")
        }
        if client.redirectURI != redirectURI {
            notes.append("the provider registered \(client.redirectURI) instead of \(redirectURI)")
        }
        if let port = (try? WebAddress(client.redirectURI))?.port {
            notes.append("browser sign-ins use port \(port): one at a time, while the port is free")
        }
        if !client.mayRefresh {
            notes.append("no refresh tokens from this provider: sign in again when the access token expires")
        }
        return notes
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
                    .usage, "--endpoint must be NAME=URL",
                    hint: "names: \(ClientBehaviour.endpointNames.map(\.name).joined(separator: ", "))")
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

    /// The lines for the settings.
    private func lines(
        _ client: PublicClientApplication.RegisteredClient, _ authority: String, _ endpoints: EndpointOverrides
    ) -> [String] {
        let given = ClientBehaviour.endpointNames.compactMap { name, member in
            endpoints[keyPath: member].map { (key: name, value: TOMLText.text($0.text)) }
        }
        var members: [(key: String, value: TOMLText)] = [
            (key: "authority", value: .text(authority)), (key: "kind", value: .text(isOAuthOnly ? "oauth2" : "oidc")),
            (key: "redirect_uri", value: .text(client.redirectURI)),
            (key: "scopes", value: .texts(client.scopes.names)),
        ]
        if let method = client.secretMethod {
            members.append((key: "client_secret", value: .text("kept")))
            members.append((key: "token_endpoint_auth_method", value: .text(method.rawValue)))
        }
        if let issuer = endpoints.issuer { members.append((key: "issuer", value: .text(issuer))) }
        return SettingsFile.table(name, client.clientID, members, given)
    }
}

extension ClientChoice {
    fileprivate init(
        _ name: String, _ client: PublicClientApplication.RegisteredClient, _ authority: Authority,
        _ endpoints: EndpointOverrides
    ) {
        self.init(name: name, clientID: client.clientID, authority: authority.description, kind: authority.kind)
        behaviour.endpoints = endpoints
    }
}
