package import Identity
import StrictTOML

/// The client of `foyer sign-in HOST`: the one of the settings at that server, else a new one.
package struct ServerClient: Sendable {
    package let choice: ClientChoice
    /// Whether the settings lack it.
    package let isNew: Bool

    /// - Parameters:
    ///   - place: a host, with its port if needed, or the issuer's URL.
    ///   - name: of the known server; nil if the host tells.
    ///   - id: the client ID; nil for the client of the settings.
    /// - Throws: `usage` if the server is unknown, or needs a client ID; the hint says how to register a client.
    package init(
        at place: String, server name: String?, clientID id: String?, _ settings: Settings
    ) throws(Failure) {
        let address: WebAddress
        do { address = try WebAddress(place.contains("://") ? place : "https://" + place) } catch {
            throw Self.nameOfClient(place, settings)
                ?? Failure(
                    .usage, "\(place) is not a host: \(error)",
                    hint: "name a host, such as github.com; an account is named with --account")
        }
        let own = settings.clients.filter { Self.isAt(address, $0) }
        let found = try Self.server(at: address, named: name)
        if let known = own.first(where: { $0.clientID == id }) ?? (id == nil && own.count == 1 ? own.first : nil) {
            (choice, isNew) = (known, false)
            return
        }
        guard id != nil || own.isEmpty else {
            throw Failure(
                .usage, "the settings have \(own.count) clients at \(address.hostAndPort)",
                hint: .text("choose one: " + own.map { "--client \($0.name.shellWord)" }.joined(separator: ", ")))
        }
        guard let known = found else {
            if let failure = Self.nameOfClient(place, settings) { throw failure }
            throw Failure(
                .usage, "unknown server at \(address.hostAndPort)",
                hint: .text(
                    """
                    \(Self.suggestion(for: place, settings))name its product with --server \
                    (\(KnownServer.names.joined(separator: ", "))), or use --authority and --client-id for another \
                    OpenID Connect provider
                    """))
        }
        let authority: Authority
        do { authority = try Authority(known.authority(address), kind: known.kind) } catch {
            throw Failure(.usage, "\(place): \(error)")
        }
        var client = ClientChoice(
            name: Client.name(id ?? "", at: authority.address, notIn: Set(settings.clients.map(\.name))),
            clientID: id ?? "ID", authority: authority.address.text)
        if KnownServer.at(address) == nil { (client.behaviour.server, client.kind) = (known.name, known.kind) }
        guard id != nil, !known.secret.isAlwaysNeeded else {
            throw Self.unregistered(client, known, place, at: address, hasID: id != nil, settings)
        }
        (choice, isNew) = (client, true)
    }

    /// The options of the sign-in: its authority and client take precedence over FOYER_AUTHORITY and FOYER_CLIENT.
    package func options(_ given: TokenOptions) -> TokenOptions {
        var options = given
        (options.authority, options.clientID) = (choice.authority, choice.clientID)
        return options
    }

    /// - Returns: the failure for a client's name or ID in the host's place; nil for anything else.
    private static func nameOfClient(_ place: String, _ settings: Settings) -> Failure? {
        guard let client = settings.choice(named: place) else { return nil }
        let isID = client.name != place && client.clientID == place
        return Failure(
            .usage, "\"\(place)\" is a client, not a host",
            hint: .text(
                "run \"foyer sign-in \(isID ? "--client-id \(place.shellWord)" : "--client \(client.name.shellWord)")\""
            ))
    }

    /// The client or the known server that a mistyped host could mean, for a hint.
    private static func suggestion(for place: String, _ settings: Settings) -> String {
        let clients = settings.clientNames
        let hosts = KnownServer.all.flatMap(\.hosts).filter { !$0.hasPrefix("*") }
        return Spelling.suggestion(for: place, among: clients + hosts) { name in
            "foyer sign-in " + (hosts.contains(name) ? name : "--client \(name.shellWord)")
        }
    }

    /// Several servers can share a host, so a path counts.
    private static func isAt(_ address: WebAddress, _ client: ClientChoice) -> Bool {
        guard let text = client.authority, let authority = try? Authority(text, kind: client.kind).address else {
            return false
        }
        return address.pathSegments.isEmpty
            ? authority.isSameOrigin(as: address) : Issuer.normalized(authority.text) == Issuer.normalized(address.text)
    }

    private static func server(at address: WebAddress, named name: String?) throws(Failure) -> KnownServer? {
        let known = KnownServer.at(address)
        guard let name else { return known }
        guard let named = KnownServer.named(name) else {
            throw Failure(
                .usage, "unknown server \"\(name)\"",
                hint: .text(
                    Spelling.suggestion(for: name, among: KnownServer.names) + "known servers: "
                        + KnownServer.names.joined(separator: ", ")))
        }
        guard known == nil || known == named else {
            throw Failure(.usage, "\(address.host) is not a server of \(named.title)", hint: "leave out --server")
        }
        return named
    }

    /// - Parameter hasID: whether only the secret is missing.
    private static func unregistered(
        _ client: ClientChoice, _ known: KnownServer, _ place: String, at address: WebAddress, hasID: Bool,
        _ settings: Settings
    ) -> Failure {
        let server = client.behaviour.server.map { " --server \($0)" } ?? ""
        let command = "foyer sign-in \(place.shellWord)" + server
        let register = "register a client \(known.howToRegister(at: address))"
        guard known.secret.isAlwaysNeeded else {
            return Failure(
                .usage, "no client ID for \(address.host)",
                hint: .text("\(register), then run: \(command) --client-id ID"))
        }
        let name = client.name.shellWord
        return Failure(
            .usage,
            hasID
                ? "clients of \(known.title) need a secret"
                : "no client for \(address.host): \(register)",
            hint: .write(
                lines: client.lines(secret: "kept"),
                into: "\(settings.path), then run \"foyer secret set \(name)\" and \"foyer sign-in --client \(name)\""))
    }
}

extension KnownServer.SecretNeed {
    /// Whether no sign-in works without it.
    fileprivate var isAlwaysNeeded: Bool {
        switch self {
        case .none, .browserOnly: false
        case .always, .published: true
        }
    }
}

extension ClientChoice {
    /// Its table in the settings, without values that follow from others.
    ///
    /// - Parameter secret: the value of `client_secret`; never the secret itself.
    package func lines(secret: String? = nil) -> [String] {
        SettingsFile.table(name, clientID, members(secret: secret))
    }

    func members(secret: String? = nil) -> [(key: String, value: TOMLText)] {
        let derived = authority.flatMap { try? Authority($0) }?.kind
        let server = behaviour.server.flatMap(KnownServer.named)
        let usual = defaults.own.flatMap(defaults.server)?.scopes
        var members: [(key: String, value: TOMLText)] = []
        func add(_ key: String, _ text: String?) { if let text { members.append((key: key, value: .text(text))) } }
        add("authority", authority)
        add("server", server?.name)
        if let kind, kind != server?.kind ?? derived { add("kind", kind.rawValue) }
        add("redirect_uri", redirectURI)
        add("client_secret", secret)
        if !scopes.isEmpty, scopes != usual { members.append((key: "scopes", value: .texts(scopes))) }
        return members
    }
}

extension SettingsFile {
    /// Saves a new client; see ``add(client:clientID:_:endpoints:)``.
    @discardableResult
    package func add(_ client: ClientChoice) throws(Failure) -> SettingsChange {
        try add(client: client.name, clientID: client.clientID, client.members())
    }
}
