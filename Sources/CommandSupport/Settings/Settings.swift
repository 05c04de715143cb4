package import Identity
import StrictTOML
import Synchronization
import TOMLKit

/// The validated settings file. An error gives the file, the line and a correction.
package struct Settings: Sendable {
    package var path: String
    package var defaultClient: String?
    /// The usual account and tenant of ``defaultClient``, without which there are none.
    package var defaultAccount: String?
    package var defaultTenant: String?
    package var theme: String?
    package var mouse: Bool?
    package var store: String?
    package var clients: [ClientChoice]
    package var keys = KeySettings.none
    package var stores: [StoreSettings] = []
    /// Clients that may use a family refresh token from another store.
    package var familyOfOtherStores = ClientSelection.never
    /// Clients for which the agent asks the user before it gives a token to a program.
    package var confirmedClients = ClientSelection.never
    /// Whether a command that refreshed a token starts the agent.
    package var startsAgent = false
    package var agentLock = AgentLockSettings()
    /// Variables that mark an AI agent's session, besides ``AgentSession/marks``.
    package var agentVariables: [String] = []
    package var forward = ForwardSettings()
    /// Rules that pick an account for a program; the first match wins.
    package var rules: [ProgramRule] = []
    /// The container registries in the rules, without patterns and duplicates.
    package var registriesOfRules: [String] {
        rules.compactMap { $0.conditions[.registry] }.filter { !$0.isPattern }.reduce(into: []) { found, name in
            if !found.contains(name.text) { found.append(name.text) }
        }
    }
    package var broker = BrokerUse.never

    package static func none(_ path: String) -> Settings {
        Settings(path: path, defaultClient: nil, theme: nil, clients: [])
    }

    package static let maximumSize = 65_536

    /// - Parameter isNamed: whether the user named the file, which must then exist.
    package static func load(_ path: String, isNamed: Bool) throws(Failure) -> Settings {
        SettingsFile(path).clearLeftovers()
        guard let bytes = try TextFile.readTrusted(path, limit: maximumSize, what: "settings file") else {
            guard isNamed else { return none(path) }
            throw Failure(
                .configuration, "settings file not found: \(path)",
                hint: "create it, or drop --config and FOYER_CONFIG")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.configuration, "\(path) is not UTF-8", hint: "save it as UTF-8")
        }
        if let settings = lately.withLock({ $0.first { $0.path == path && $0.text == text } })?.settings {
            return settings
        }
        let settings = try SettingsReader(path: path, text: text).settings()
        lately.withLock { $0 = [(path, text, settings)] + $0.prefix(mostLately - 1) }
        return settings
    }

    /// Cache for a process that reads the settings for every request: the parser is slow, and leaks memory.
    private static let lately = Mutex<[(path: String, text: String, settings: Settings)]>([])
    private static let mostLately = 8

    package func client(named name: String) -> ClientChoice? { clients.first { $0.name == name } }
}

/// Reads the parsed tables, and searches the text for the line numbers of errors.
package struct SettingsReader {
    package let path: String
    package let text: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    package func settings() throws(Failure) -> Settings {
        let table: TOMLTable
        do { table = try StrictTOML.read(text) } catch {
            throw wrong(line: error.line, error.what, write: "valid TOML, such as client = \"work\"")
        }
        let top = SettingsSection(reader: self, table: table, name: nil)
        try top.refuseUnknown(SettingsTable.top)
        let clients = try top.sections("clients", write: "[clients.work]") { name, section throws(Failure) in
            try section.client(name)
        }
        var settings = Settings(
            path: path, defaultClient: try top.text("client"), theme: try top.text("theme"),
            store: try top.store("store"), clients: clients, keys: try top.keys())
        try KeyCheck.run(settings.keys, of: path)
        settings.mouse = try top.flag("mouse")
        settings.defaultAccount = try top.usual("account")
        settings.defaultTenant = try top.usual("tenant")
        settings.stores = try top.otherStores()
        settings.familyOfOtherStores = try top.clientSelection(
            "other_stores", in: "family", known: SettingsTable.family)
        settings.confirmedClients = try top.clientSelection("confirm", in: "agent", known: SettingsTable.agent)
        if let agent = try top.section("agent", write: "[agent]") {
            settings.startsAgent = try agent.flag("start") ?? false
            settings.agentLock = try agent.agentLock()
        }
        settings.agentVariables = try top.agentVariables()
        settings.forward = try top.forward()
        settings.rules = try top.rules(clients: clients)
        settings.broker = try top.brokerUse()
        if let wanted = settings.defaultClient, settings.client(named: wanted) == nil, Client.wellKnown(wanted) == nil {
            throw top.wrong(
                "client", "unknown client \"\(wanted)\"",
                write: "one of: " + (clients.map(\.name) + ["azure-cli"]).joined(separator: ", "))
        }
        return settings
    }

    package func wrong(line: Int, _ what: String, write: String) -> Failure {
        Failure(.configuration, "\(path):\(line): \(what)", hint: "write \(write)")
    }

    package func headerLine(_ section: String) -> Int {
        let wanted = "[\(section)]"
        for (number, line) in lines.enumerated() where Self.bare(line).hasPrefix(wanted) { return number + 1 }
        // An inline table has no header: the line of its key.
        guard let dot = section.lastIndex(of: "."), section.contains(".") else { return 1 }
        return line(of: String(section[section.index(after: dot)...]), in: String(section[..<dot]))
    }

    package func line(of key: String, in section: String?) -> Int { line(of: key, from: section.map(headerLine) ?? 1) }

    /// The header lines of an array of tables, in order. They are needed for each call, so nothing is copied.
    func lines(ofTables header: StaticString) -> [Int] {
        var found: [Int] = []
        var (line, matched) = (1, 0)
        for byte in text.utf8 {
            if byte == 0x0A {
                (line, matched) = (line + 1, 0)
            } else if matched >= 0, byte > 0x20, byte != 0x22 {
                matched = byte == header.utf8Start[matched] ? matched + 1 : -1
                guard matched == header.utf8CodeUnitCount else { continue }
                found.append(line)
                matched = -1
            }
        }
        return found
    }

    func line(of key: String, from start: Int) -> Int {
        for (number, line) in lines.enumerated().dropFirst(start - 1) {
            let name = Self.bare(line.prefix { $0 != UInt8(ascii: "=") })
            if name == key || name.hasSuffix("." + key) || name == "[\(key)]" { return number + 1 }
        }
        return start
    }

    /// The line without white space and quotes.
    private static func bare(_ line: Substring.UTF8View) -> String {
        String(decoding: line.filter { $0 > 0x20 && $0 != 0x22 }, as: UTF8.self)
    }

    private var lines: [Substring.UTF8View] { text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) }
}

extension SettingsSection {
    /// A member of the usual sign-in, which needs `client`.
    fileprivate func usual(_ key: String) throws(Failure) -> String? {
        guard let text = try text(key) else { return nil }
        guard !text.isEmpty else { throw wrong(key, "\(key) must not be empty", write: "\(key) = \"…\"") }
        guard self["client"] != nil else {
            throw wrong(key, "\(key) needs the client of which it is", write: "client = \"…\" as well")
        }
        return text
    }

    fileprivate func client(_ name: String) throws(Failure) -> ClientChoice {
        try refuseUnknown(SettingsTable.client)
        guard let clientID = try text("client_id"), !clientID.isEmpty else {
            throw wrong(
                "[clients.\(name)] has no client_id", write: "client_id = \"11111111-2222-3333-4444-555555555555\"")
        }
        var kind: Authority.Kind? = try word(
            "kind", "authority kind",
            write: """
                kind = "oidc" (or \
                \(Authority.Kind.allCases.filter { $0 != .oidc }.map(\.rawValue).joined(separator: ", ")))
                """)
        var behaviour = try self.behaviour()
        var authority = try text("authority")
        if let known = try knownServer() {
            kind = kind ?? known.kind
            behaviour.server = known.name
            guard let address = try self.address("authority") else {
                throw wrong(
                    "server", "server needs the authority", write: "authority = \"https://\(known.name).example.com\"")
            }
            authority = known.authority(address)
        }
        if kind == .oauth2, authority == nil {
            // A server without metadata is named by its endpoints.
            guard behaviour.endpoints.isComplete(for: .oauth2), let token = behaviour.endpoints.token else {
                throw wrong(
                    "kind", "[clients.\(name)] needs an authority, or its endpoints", write: "authority = \"https://…\""
                )
            }
            authority = token.text
        }
        if let authority {
            do { _ = try Authority(authority, kind: kind) } catch {
                throw wrong(
                    "authority", error.description,
                    write: "authority = \"https://login.microsoftonline.com/organizations\"")
            }
        }
        var client = ClientChoice(name: name, clientID: clientID, authority: authority, kind: kind)
        let canonical = ClientID.canonical(clientID)
        if canonical != clientID, authority.flatMap({ try? Authority($0, kind: kind) })?.kind.isEntra ?? true {
            client.clientID = canonical
        }
        client.behaviour = behaviour
        client.redirectURI = try text("redirect_uri")
        client.scopes = try texts("scopes")
        client.capabilities = try texts("capabilities")
        client.store = try store("store")
        return client
    }

    private func knownServer() throws(Failure) -> KnownServer? {
        guard let name = try text("server") else { return nil }
        guard let known = KnownServer.named(name) else {
            throw wrong(
                "server", "unknown server \"\(name)\"",
                write: "server = \"github\" (or "
                    + KnownServer.all.map(\.name).filter { $0 != "github" }.joined(separator: ", ") + ")")
        }
        return known
    }
}
