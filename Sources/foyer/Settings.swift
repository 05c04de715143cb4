import Identity
import TOMLKit

/// The settings file, checked: an error names the file, the line and what to write.
struct Settings: Sendable {
    struct ClientSettings: Sendable {
        var name: String
        var clientID: String
        var authority: String?
        var kind: Authority.Kind?
        var redirectURI: String?
        var scopes: [String]
        var capabilities: [String]
        var store: String?
        var behaviour = ClientBehaviour()
        var line: Int
    }

    var path: String
    var defaultClient: String?
    var theme: String?
    var clients: [ClientSettings]

    static func none(_ path: String) -> Settings { Settings(path: path, defaultClient: nil, theme: nil, clients: []) }

    static let maximumSize = 65_536

    /// - Parameter isNamed: the person named the file, so it must be there.
    static func load(_ path: String, isNamed: Bool) throws(Failure) -> Settings {
        guard let bytes = try TextFile.read(path, limit: maximumSize, what: "settings file") else {
            guard isNamed else { return none(path) }
            throw Failure(.configuration, "there is no settings file \(path)", hint: "write one, or leave --config and FOYER_CONFIG away")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.configuration, "\(path) is not UTF-8", hint: "save it as UTF-8")
        }
        return try Reader(path: path, text: text).settings()
    }

    func client(named name: String) -> ClientSettings? { clients.first { $0.name == name } }
}

/// What a client does differently from others, all of it optional.
struct ClientBehaviour: Hashable, Sendable {
    /// Hosts or addresses that need no instance discovery.
    var knownAuthorities: [String] = []
    /// The issuer that the provider names, where it is not the authority's address.
    var issuer: String?
    /// Endpoints given by hand, by the names of RFC 8414 without `_endpoint`: `authorization`, `token`, …
    var endpoints: [String: WebAddress] = [:]
    /// Whether an expired token whose extended lifetime runs is handed out while the provider is away.
    var extendedLifetime: Bool?
    /// Seconds that an access token must still live.
    var expirationBuffer: Int?
    /// Whether the provider may move the sign-in to the person's own cloud.
    var instanceAware: Bool?
    /// Whether tokens are bound to a key where the provider can (DPoP).
    var proofOfPossession: Bool?
    /// The method of sign-ins that name none.
    var via: SignInMethod?

    /// The members of `[clients.NAME.endpoints]`.
    static let endpointNames = [
        "authorization", "token", "device_authorization", "jwks", "userinfo", "revocation", "end_session", "registration",
        "pushed_authorization_request",
    ]
}

/// Walks the parsed tables; the text is kept to find the line of what is wrong.
private struct Reader {
    let path: String
    let text: String

    func settings() throws(Failure) -> Settings {
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw wrong(line: error.source.begin.line, error.description, write: "valid TOML, such as client = \"work\"")
        } catch { throw wrong(line: 1, "not valid TOML", write: "valid TOML, such as client = \"work\"") }
        try refuseUnknown(in: table, known: ["client", "theme", "clients"], at: nil)
        var clients: [Settings.ClientSettings] = []
        if table.contains(key: "clients") {
            guard let tables = table["clients"]?.table else {
                throw wrong(line: line(of: "clients", in: nil), "clients is not a table", write: "[clients.work]")
            }
            for name in tables.keys.sorted() {
                guard let table = tables[name]?.table else {
                    throw wrong(line: line(of: name, in: "clients"), "clients.\(name) is not a table", write: "[clients.\(name)]")
                }
                clients.append(try client(name, table))
            }
        }
        let settings = Settings(
            path: path, defaultClient: try string("client", in: table, at: nil), theme: try string("theme", in: table, at: nil),
            clients: clients)
        if let wanted = settings.defaultClient, settings.client(named: wanted) == nil, Client.wellKnown(wanted) == nil {
            throw wrong(
                line: line(of: "client", in: nil), "no client is named \"\(wanted)\"",
                write: "one of: " + (clients.map(\.name) + ["\"Azure CLI\""]).joined(separator: ", "))
        }
        return settings
    }

    private func client(_ name: String, _ table: TOMLTable) throws(Failure) -> Settings.ClientSettings {
        let section = "clients.\(name)"
        try refuseUnknown(
            in: table,
            known: [
                "client_id", "authority", "redirect_uri", "scopes", "capabilities", "store", "kind", "known_authorities", "issuer",
                "endpoints",
                "extended_lifetime", "expiration_buffer", "instance_aware", "proof_of_possession", "via",
            ], at: section)
        guard let clientID = try string("client_id", in: table, at: section), !clientID.isEmpty else {
            throw wrong(
                line: headerLine(section), "[\(section)] has no client_id", write: "client_id = \"11111111-2222-3333-4444-555555555555\"")
        }
        var kind: Authority.Kind?
        if let word = try string("kind", in: table, at: section) {
            kind = Authority.Kind(rawValue: word)
            guard kind != nil else {
                throw wrong(
                    line: line(of: "kind", in: section), "\"\(word)\" is no kind of authority",
                    write: "kind = \"oidc\" (or " + Authority.Kind.allCases.dropLast().map(\.rawValue).joined(separator: ", ") + ")")
            }
        }
        let authority = try string("authority", in: table, at: section)
        if let authority {
            do { _ = try Authority(authority, kind: kind) } catch {
                throw wrong(
                    line: line(of: "authority", in: section), error.description,
                    write: "authority = \"https://login.microsoftonline.com/organizations\"")
            }
        }
        return Settings.ClientSettings(
            name: name, clientID: clientID, authority: authority, kind: kind,
            redirectURI: try string("redirect_uri", in: table, at: section),
            scopes: try strings("scopes", in: table, at: section), capabilities: try strings("capabilities", in: table, at: section),
            store: try string("store", in: table, at: section), behaviour: try behaviour(table, at: section), line: headerLine(section))
    }

    private func behaviour(_ table: TOMLTable, at section: String) throws(Failure) -> ClientBehaviour {
        var behaviour = ClientBehaviour()
        behaviour.knownAuthorities = try strings("known_authorities", in: table, at: section)
        behaviour.issuer = try address("issuer", in: table, at: section)?.text
        behaviour.extendedLifetime = try flag("extended_lifetime", in: table, at: section)
        behaviour.instanceAware = try flag("instance_aware", in: table, at: section)
        behaviour.proofOfPossession = try flag("proof_of_possession", in: table, at: section)
        if let value = table["expiration_buffer"] {
            guard let seconds = value.int, (0...3600).contains(seconds) else {
                throw wrong(
                    line: line(of: "expiration_buffer", in: section), "expiration_buffer is no time", write: "seconds from 0 to 3600")
            }
            behaviour.expirationBuffer = seconds
        }
        if let word = try string("via", in: table, at: section) {
            guard let method = SignInMethod(rawValue: word) else {
                throw wrong(
                    line: line(of: "via", in: section), "\"\(word)\" is no method",
                    write: "via = \"auto\" (or " + SignInMethod.allCases.dropFirst().map(\.rawValue).joined(separator: ", ") + ")")
            }
            behaviour.via = method
        }
        guard let value = table["endpoints"] else { return behaviour }
        guard let endpoints = value.table else {
            throw wrong(line: line(of: "endpoints", in: section), "endpoints is not a table", write: "[\(section).endpoints]")
        }
        let place = section + ".endpoints"
        try refuseUnknown(in: endpoints, known: ClientBehaviour.endpointNames, at: place)
        for name in endpoints.keys.sorted() { behaviour.endpoints[name] = try address(name, in: endpoints, at: place) }
        return behaviour
    }

    private func address(_ key: String, in table: TOMLTable, at section: String) throws(Failure) -> WebAddress? {
        guard let text = try string(key, in: table, at: section) else { return nil }
        do { return try WebAddress(text) } catch {
            throw wrong(line: line(of: key, in: section), error.description, write: "\(key) = \"https://…\"")
        }
    }

    private func flag(_ key: String, in table: TOMLTable, at section: String) throws(Failure) -> Bool? {
        guard let value = table[key] else { return nil }
        guard let flag = value.bool else {
            throw wrong(line: line(of: key, in: section), "\(key) is neither true nor false", write: "\(key) = true")
        }
        return flag
    }

    private func string(_ key: String, in table: TOMLTable, at section: String?) throws(Failure) -> String? {
        guard let value = table[key] else { return nil }
        guard let text = value.string else {
            throw wrong(line: line(of: key, in: section), "\(key) is not a text", write: "\(key) = \"…\"")
        }
        return text
    }

    private func strings(_ key: String, in table: TOMLTable, at section: String?) throws(Failure) -> [String] {
        guard let value = table[key] else { return [] }
        let texts = value.array?.map(\.string)
        guard let texts, texts.allSatisfy({ $0 != nil }) else {
            throw wrong(line: line(of: key, in: section), "\(key) is not a list of texts", write: "\(key) = [\"…\"]")
        }
        return texts.compactMap { $0 }
    }

    private func refuseUnknown(in table: TOMLTable, known: [String], at section: String?) throws(Failure) {
        for key in table.keys.sorted() where !known.contains(key) {
            throw wrong(
                line: line(of: key, in: section), "nothing is named \"\(key)\" here", write: "one of: " + known.joined(separator: ", "))
        }
    }

    private func wrong(line: Int, _ what: String, write: String) -> Failure {
        Failure(.configuration, "\(path):\(line): \(what)", hint: "write \(write)")
    }

    private func headerLine(_ section: String) -> Int {
        let wanted = "[\(section)]"
        for (number, line) in lines.enumerated() where line.filter({ !$0.isWhitespace && $0 != "\"" }).hasPrefix(wanted) {
            return number + 1
        }
        return 1
    }

    private func line(of key: String, in section: String?) -> Int {
        let start = section.map(headerLine) ?? 1
        for (number, line) in lines.enumerated().dropFirst(start - 1) {
            let name = line.prefix { $0 != "=" }.filter { !$0.isWhitespace && $0 != "\"" }
            if name == key || name.hasSuffix("." + key) || name == "[\(key)]" { return number + 1 }
        }
        return start
    }

    private var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}
