import CommandSupport
import Identity
import StrictTOML
import TOMLKit
import TokenCache

/// The settings: the keys that are set, and the values of those with few options, such as `true` or `device`.
extension Report {
    var settings: ReportValue {
        let place = CommandContext.settingsPlace(options, environment)
        let read = Self.contents(place.path)
        return ReportValue(
            ("file", read.state),
            ("readable", .flag(settingsFailure == nil)),
            ("problem", settingsFailure.map { .word(ReportWord($0.code)) }),
            ("line", settingsFailure.flatMap { Self.line(of: $0, place.path) }.map { ReportValue($0) }),
            ("namedBySomebody", .flag(place.isNamed)),
            ("path", included.word(.paths, shown(place.path)).map { .word($0) }),
            ("tables", .list(read.table.map(tables) ?? [])))
    }

    private static func contents(_ path: String) -> (state: ReportValue, table: TOMLTable?) {
        do throws(Failure) {
            guard let bytes = try TextFile.readTrusted(path, limit: Settings.maximumSize, what: "settings file") else {
                return ("none", nil)
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { return ("not UTF-8", nil) }
            guard let table = try? StrictTOML.read(text) else { return ("not TOML", nil) }
            return ("there", table)
        } catch { return ("unreadable", nil) }
    }

    /// The line number in the message `PATH:LINE: …`.
    private static func line(of failure: Failure, _ path: String) -> Int? {
        guard failure.message.hasPrefix(path + ":") else { return nil }
        return Int(failure.message.dropFirst(path.count + 1).prefix { ("0"..."9").contains($0) })
    }

    // MARK: Tables

    private static let mostTables = 30

    private func tables(_ top: TOMLTable) -> [ReportValue] {
        var tables = [summary("top", top, SettingsTable.top)]
        for name in top["clients"]?.table?.keys.sorted() ?? [] {
            guard let client = top["clients"]?.table?[name]?.table else { continue }
            tables.append(self.client(name, client))
        }
        for name in top["stores"]?.table?.keys.sorted() ?? [] {
            guard let store = top["stores"]?.table?[name]?.table else { continue }
            let known = ReportWord(name, of: KnownPlaces.names) ?? "another"
            tables.append(summary("stores", store, SettingsTable.store, [("store", .word(known))]))
        }
        for (name, known) in [
            ("family", SettingsTable.family), ("agent", SettingsTable.agent), ("agents", SettingsTable.agents),
            ("forward", SettingsTable.forward), ("broker", SettingsTable.broker),
        ] as [(ReportWord, [SettingsTable.Setting])] {
            guard let table = top[name.text]?.table else { continue }
            tables.append(summary(name, table, known))
        }
        let rules = top["rules"]?.array?.compactMap(\.table) ?? []
        tables += rules.map { summary("rules", $0, SettingsTable.rule) }
        if let keys = top["keys"]?.table {
            let changes = keys.keys.reduce(0) { $0 + (keys[$1]?.table?.count ?? 0) }
            tables.append(ReportValue(("table", "keys"), ("changes", ReportValue(changes))))
        }
        guard tables.count > Self.mostTables else { return tables }
        return tables.prefix(Self.mostTables) + [ReportValue(("more", ReportValue(tables.count - Self.mostTables)))]
    }

    private func client(_ name: String, _ table: TOMLTable) -> ReportValue {
        let id = table["client_id"]?.string ?? ""
        let kind = table["kind"]?.string.flatMap(Authority.Kind.init)
        let address = table["authority"]?.string
        let authority = try? Authority(address ?? Authority.defaultAddress, kind: kind)
        return summary(
            "clients", table, SettingsTable.client,
            [
                ("name", included.word(.names, name).map { .word($0) }),
                ("client", .word(Self.client(id))),
                ("clientId", Client.wellKnown(id) == nil ? included.word(.tenants, id).map { .word($0) } : nil),
                ("kind", ReportValue(authority.map { ReportWord($0.kind) })),
                ("cloud", ReportValue(authority.map(Self.cloud))),
                ("authority", address.flatMap { included.word(.tenants, $0) }.map { .word($0) }),
                ("store", table["store"]?.string.flatMap { try? StoreSpec($0) }.map { .word(ReportWord($0.kind)) }),
            ])
    }

    static func client(_ id: String) -> ReportWord {
        Client.wellKnown(id).flatMap { known in
            known.id == id.lowercased() ? ReportWord(known.title, of: Client.wellKnown.map(\.title)) : nil
        } ?? "another client"
    }

    private static func cloud(_ authority: Authority) -> ReportWord {
        if authority.address.isLoopback { return "this machine" }
        return Cloud.containing(host: authority.address.host).flatMap { ReportWord($0.name, of: Cloud.all.map(\.name)) }
            ?? "not Microsoft"
    }

    // MARK: Keys

    private func summary(
        _ name: ReportWord, _ table: TOMLTable, _ known: [SettingsTable.Setting],
        _ more: [(ReportWord, ReportValue?)] = []
    ) -> ReportValue {
        let names = SettingsTable.names(known)
        let keys = table.keys.filter(names.contains).sorted()
        let values = known.compactMap { setting -> ReportValue.Member? in
            guard let name = ReportWord(setting.name, of: names), let value = Self.value(table[setting.name], setting)
            else { return nil }
            return ReportValue.Member(name: name, value: value)
        }
        let unknown = table.count - keys.count
        return ReportValue(
            [("table", .word(name))] + more + [
                ("set", .list(keys.map { ReportValue(ReportWord($0, of: names)) })),
                ("values", values.isEmpty ? nil : .object(values)),
                ("unknown", unknown > 0 ? ReportValue(unknown) : nil),
            ])
    }

    /// - Returns: nil for free text.
    private static func value(_ value: (any TOMLValueConvertible)?, _ setting: SettingsTable.Setting) -> ReportValue? {
        guard let value else { return nil }
        let words = setting.value.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
        if let flag = value.bool { return words.contains("true") ? .flag(flag) : nil }
        if let number = value.int { return setting.value.contains(" to ") ? ReportValue(number) : nil }
        if words.contains("list"), let list = value.array {
            return .object([.init(name: "entries", value: ReportValue(list.count))])
        }
        guard let text = value.string else { return nil }
        if setting.name == "theme" { return .word(ReportWord(text, of: ReportLists.themes) ?? "another") }
        return ReportWord(text, of: words).map { .word($0) }
    }
}
