package import Identity
package import SilentFirst
import StrictTOML
import Synchronization
package import TOMLKit
import TokenCache

/// The settings file, checked: an error names the file, the line and what to write.
package struct Settings: Sendable {
    package var path: String
    package var defaultClient: String?
    package var theme: String?
    /// Whether clicks and the wheel are taken from the start.
    package var mouse: Bool?
    /// Where tokens rest, for clients that name no place of their own.
    package var store: String?
    package var clients: [ClientChoice]
    package var keys = KeySettings.none
    /// Other programs' stores, by name: what the person said of them.
    package var stores: [StoreSettings] = []
    /// Which clients may use a family refresh token of another store.
    package var familyOfOtherStores = ClientSelection.never
    /// For which clients the agent asks the person before it gives a token to a program.
    package var confirmedClients = ClientSelection.never
    /// Whether a command that had to refresh a token starts the agent for the next ones.
    package var startsAgent = false
    /// When the agent locks itself.
    package var agentLock = AgentLockSettings()
    /// What other hosts and containers may have of the agent.
    package var forward = ForwardSettings()
    /// Which account other programs get tokens of; the first that fits counts.
    package var rules: [ProgramRule] = []
    /// Those that the rules name, each once; a pattern names none.
    package var registriesOfRules: [String] {
        rules.compactMap { $0.conditions[.registry] }.filter { !$0.contains("*") }.reduce(into: []) { found, name in
            if !found.contains(name) { found.append(name) }
        }
    }
    /// When the broker of the session is asked for tokens.
    package var broker = BrokerUse.never

    package static func none(_ path: String) -> Settings {
        Settings(path: path, defaultClient: nil, theme: nil, clients: [])
    }

    package static let maximumSize = 65_536

    /// - Parameter isNamed: the person named the file, so it must be there.
    package static func load(_ path: String, isNamed: Bool) throws(Failure) -> Settings {
        SettingsFile(path).clearLeftovers()
        guard let bytes = try TextFile.readTrusted(path, limit: maximumSize, what: "settings file") else {
            guard isNamed else { return none(path) }
            throw Failure(
                .configuration, "there is no settings file \(path)",
                hint: "write one, or leave out --config and FOYER_CONFIG")
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

    /// What was read lately: a process that reads settings for each request of others understands a text once. The
    /// parser is slow, and keeps some memory of each text for good.
    private static let lately = Mutex<[(path: String, text: String, settings: Settings)]>([])
    private static let mostLately = 8

    package func client(named name: String) -> ClientChoice? { clients.first { $0.name == name } }
}

/// Walks the parsed tables; the text is kept to find the line of what is wrong.
package struct SettingsReader {
    package let path: String
    package let text: String

    package init(path: String, text: String) { (self.path, self.text) = (path, text) }

    package func settings() throws(Failure) -> Settings {
        let table: TOMLTable
        do { table = try StrictTOML.read(text) } catch {
            throw wrong(line: error.line, error.what, write: "valid TOML, such as client = \"work\"")
        }
        try refuseUnknown(
            in: table, known: SettingsTable.names(SettingsTable.top), at: nil)
        var clients: [ClientChoice] = []
        if table.contains(key: "clients") {
            guard let tables = table["clients"]?.table else {
                throw wrong(line: line(of: "clients", in: nil), "clients is not a table", write: "[clients.work]")
            }
            for name in tables.keys.sorted() {
                guard let table = tables[name]?.table else {
                    throw wrong(
                        line: line(of: name, in: "clients"), "clients.\(name) is not a table",
                        write: "[clients.\(name)]")
                }
                clients.append(try client(name, table))
            }
        }
        var settings = Settings(
            path: path, defaultClient: try string("client", in: table, at: nil),
            theme: try string("theme", in: table, at: nil),
            store: try store(in: table, at: nil),
            clients: clients, keys: try keys(table))
        try KeyCheck.run(settings.keys, of: path)
        settings.mouse = try flag("mouse", in: table, at: nil)
        settings.stores = try otherStores(table)
        settings.familyOfOtherStores = try familyOfOtherStores(table)
        settings.confirmedClients = try clientSelection(
            "confirm", in: "agent", of: table, known: SettingsTable.agent)
        if let agent = table["agent"]?.table {
            settings.startsAgent = try flag("start", in: agent, at: "agent") ?? false
        }
        settings.agentLock = try agentLock(table)
        settings.forward = try forward(table)
        settings.rules = try rules(table, clients: clients)
        settings.broker = try brokerUse(table)
        if let wanted = settings.defaultClient, settings.client(named: wanted) == nil, Client.wellKnown(wanted) == nil {
            throw wrong(
                line: line(of: "client", in: nil), "no client is named \"\(wanted)\"",
                write: "one of: " + (clients.map(\.name) + ["\"Azure CLI\""]).joined(separator: ", "))
        }
        return settings
    }

    private func client(_ name: String, _ table: TOMLTable) throws(Failure) -> ClientChoice {
        let section = "clients.\(name)"
        try refuseUnknown(
            in: table,
            known: SettingsTable.names(SettingsTable.client), at: section)
        guard let clientID = try string("client_id", in: table, at: section), !clientID.isEmpty else {
            throw wrong(
                line: headerLine(section), "[\(section)] has no client_id",
                write: "client_id = \"11111111-2222-3333-4444-555555555555\"")
        }
        var kind: Authority.Kind?
        if let word = try string("kind", in: table, at: section) {
            kind = Authority.Kind(rawValue: word)
            guard kind != nil else {
                throw wrong(
                    line: line(of: "kind", in: section), "\"\(word)\" is no kind of authority",
                    write: "kind = \"oidc\" (or "
                        + Authority.Kind.allCases.dropLast().map(\.rawValue).joined(separator: ", ") + ")")
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
        var client = ClientChoice(name: name, clientID: clientID, authority: authority, kind: kind)
        client.redirectURI = try string("redirect_uri", in: table, at: section)
        client.scopes = try strings("scopes", in: table, at: section)
        client.capabilities = try strings("capabilities", in: table, at: section)
        client.store = try store(in: table, at: section)
        client.behaviour = try behaviour(table, at: section)
        return client
    }

    private func store(in table: TOMLTable, at section: String?) throws(Failure) -> String? {
        guard let text = try string("store", in: table, at: section) else { return nil }
        do { _ = try StoreSpec(text) } catch {
            throw wrong(
                line: line(of: "store", in: section), error.message,
                write: "store = \"file:PATH\", \"encrypted:PATH\" or \"keyring:NAME\"")
        }
        return text
    }

    package func string(_ key: String, in table: TOMLTable, at section: String?) throws(Failure) -> String? {
        guard let value = table[key] else { return nil }
        guard let text = value.string else {
            throw wrong(line: line(of: key, in: section), "\(key) is not a text", write: "\(key) = \"…\"")
        }
        return text
    }

    package func strings(_ key: String, in table: TOMLTable, at section: String?) throws(Failure) -> [String] {
        guard let value = table[key] else { return [] }
        let texts = value.array?.map(\.string)
        guard let texts, texts.allSatisfy({ $0 != nil }) else {
            throw wrong(line: line(of: key, in: section), "\(key) is not a list of texts", write: "\(key) = [\"…\"]")
        }
        return texts.compactMap { $0 }
    }

    package func refuseUnknown(in table: TOMLTable, known: [String], at section: String?) throws(Failure) {
        for key in table.keys.sorted() where !known.contains(key) {
            throw wrong(
                line: line(of: key, in: section), "nothing is named \"\(key)\" here",
                write: "one of: " + known.joined(separator: ", "))
        }
    }

    package func wrong(line: Int, _ what: String, write: String) -> Failure {
        Failure(.configuration, "\(path):\(line): \(what)", hint: "write \(write)")
    }

    package func headerLine(_ section: String) -> Int {
        let wanted = "[\(section)]"
        for (number, line) in lines.enumerated() where Self.bare(line).hasPrefix(wanted) { return number + 1 }
        // An inline table has no header of its own: the line of its name.
        guard let dot = section.lastIndex(of: "."), section.contains(".") else { return 1 }
        return line(of: String(section[section.index(after: dot)...]), in: String(section[..<dot]))
    }

    package func line(of key: String, in section: String?) -> Int {
        line(of: key, from: section.map(headerLine) ?? 1)
    }

    /// The line of the header of one of several tables of a name, counted from 0.
    func line(ofTable header: String, number: Int) -> Int {
        let places = lines.enumerated().filter { Self.bare($0.element).hasPrefix(header) }.map { $0.offset + 1 }
        return places.indices.contains(number) ? places[number] : places.last ?? 1
    }

    func line(of key: String, from start: Int) -> Int {
        for (number, line) in lines.enumerated().dropFirst(start - 1) {
            let name = Self.bare(line.prefix { $0 != UInt8(ascii: "=") })
            if name == key || name.hasSuffix("." + key) || name == "[\(key)]" { return number + 1 }
        }
        return start
    }

    /// Without white space and quotes.
    private static func bare(_ line: Substring.UTF8View) -> String {
        String(decoding: line.filter { $0 > 0x20 && $0 != 0x22 }, as: UTF8.self)
    }

    private var lines: [Substring.UTF8View] { text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) }
}
