package import Identity
package import TOMLKit
import TokenCache

/// `[stores.NAME]`: a store of another program, or leave to change one that is known.
package struct StoreSettings: Sendable {
    package var name: String
    /// Nil for a program that is known by its name.
    package var path: String?
    /// Whether it may be changed; only reading unless the person says so.
    package var mayWrite: Bool
    /// Whether its accounts are left out of the interface.
    package var isHidden: Bool
}

extension SettingsReader {
    package func otherStores(_ table: TOMLTable) throws(Failure) -> [StoreSettings] {
        guard let value = table["stores"] else { return [] }
        guard let tables = value.table else {
            throw wrong(line: line(of: "stores", in: nil), "stores is not a table", write: "[stores.azure-cli]")
        }
        var stores: [StoreSettings] = []
        for name in tables.keys.sorted() {
            let section = "stores.\(name)"
            guard let table = tables[name]?.table else {
                throw wrong(line: line(of: name, in: "stores"), "\(section) is not a table", write: "[\(section)]")
            }
            try refuseUnknown(in: table, known: SettingsTable.names(SettingsTable.store), at: section)
            let path = try string("path", in: table, at: section)
            let isKnown = KnownPlaces.isKnown(name)
            guard name != "foyer" else {
                throw wrong(
                    line: headerLine(section), "the store of foyer is named by store",
                    write: "store = \"file:PATH\" at the top")
            }
            guard isKnown != (path != nil) else {
                throw wrong(
                    line: headerLine(section),
                    isKnown ? "\(name) is where its program keeps it" : "[\(section)] has no path",
                    write: isKnown
                        ? "write = true or hidden = true only, or another name" : "path = \"/PATH/OF/A/CACHE.json\"")
            }
            if let path {
                do { _ = try StoreSpec(path) } catch {
                    throw wrong(
                        line: line(of: "path", in: section), error.message,
                        write: "path = \"file:PATH\", \"encrypted:PATH\" or \"keyring:NAME\"")
                }
            }
            stores.append(
                StoreSettings(
                    name: name, path: path, mayWrite: try flag("write", in: table, at: section) ?? false,
                    isHidden: try flag("hidden", in: table, at: section) ?? false))
        }
        return stores
    }

    package func familyOfOtherStores(_ table: TOMLTable) throws(Failure) -> ClientSelection {
        try clientSelection("other_stores", in: "family", of: table, known: SettingsTable.family)
    }

    /// A setting that is true, false or a list of clients, in a table of its own.
    package func clientSelection(
        _ key: String, in section: String, of top: TOMLTable, known: [SettingsTable.Setting]
    ) throws(Failure) -> ClientSelection {
        guard let value = top[section] else { return .never }
        guard let table = value.table else {
            throw wrong(
                line: line(of: section, in: nil), "\(section) is not a table", write: "[\(section)] and \(key) = true")
        }
        try refuseUnknown(in: table, known: SettingsTable.names(known), at: section)
        if table[key]?.array != nil {
            let names = try strings(key, in: table, at: section)
            return names.isEmpty ? .never : .clients(names)
        }
        return try flag(key, in: table, at: section) ?? false ? .always : .never
    }

    /// `[forward]`.
    package func forward(_ top: TOMLTable) throws(Failure) -> ForwardSettings {
        var settings = ForwardSettings()
        guard let value = top["forward"] else { return settings }
        guard let table = value.table else {
            throw wrong(
                line: line(of: "forward", in: nil), "forward is not a table",
                write: "[forward] and clients = [\"work\"]")
        }
        try refuseUnknown(in: table, known: SettingsTable.names(SettingsTable.forward), at: "forward")
        settings.clients = try strings("clients", in: table, at: "forward")
        settings.accounts = try strings("accounts", in: table, at: "forward")
        settings.scopes = try strings("scopes", in: table, at: "forward")
        if let scope = settings.scopes.first(where: { !ScopeSet.isScope($0) }) {
            throw wrong(
                line: line(of: "scopes", in: "forward"), "\"\(scope)\" is not a scope",
                write: "each scope as a text of its own")
        }
        settings.confirms = try flag("confirm", in: table, at: "forward") ?? true
        settings.lifetime = try time("lifetime", in: table, at: "forward") ?? ForwardSettings.usualLifetime
        return settings
    }

    /// A time from a minute to a week: a number and `m`, `h` or `d`.
    private func time(_ key: String, in table: TOMLTable, at section: String) throws(Failure) -> Duration? {
        guard let text = try string(key, in: table, at: section) else { return nil }
        guard let time = SettingsTime.duration(text) else {
            throw wrong(
                line: line(of: key, in: section), "\(key) is no time from 1m to 7d",
                write: "\(key) = \"8h\" (m, h or d)")
        }
        return time
    }

    /// `lock_on` and `lock_after` of `[agent]`.
    package func agentLock(_ top: TOMLTable) throws(Failure) -> AgentLockSettings {
        var settings = AgentLockSettings()
        // Whether it is a table is looked at with the other settings.
        guard let table = top["agent"]?.table else { return settings }
        for name in try strings("lock_on", in: table, at: "agent") {
            guard let occasion = AgentLockSettings.Occasion(rawValue: name) else {
                let known = AgentLockSettings.Occasion.allCases.map { "\"\($0.rawValue)\"" }
                throw wrong(
                    line: line(of: "lock_on", in: "agent"), "lock_on has \"\(name)\", which is no occasion",
                    write: "some of: " + known.joined(separator: ", "))
            }
            settings.occasions.insert(occasion)
        }
        settings.idleTime = try time("lock_after", in: table, at: "agent")
        return settings
    }
}
