import Identity
import TOMLKit
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

extension SettingsSection {
    func otherStores() throws(Failure) -> [StoreSettings] {
        try sections("stores", write: "[stores.azure-cli]") { name, section throws(Failure) in
            try section.refuseUnknown(SettingsTable.store)
            let path = try section.text("path")
            let isKnown = KnownPlaces.isKnown(name)
            guard name != "foyer" else {
                throw section.wrong(
                    "the store of foyer is named by store", write: "store = \"file:PATH\" at the top")
            }
            guard isKnown != (path != nil) else {
                throw section.wrong(
                    isKnown ? "\(name) is where its program keeps it" : "[stores.\(name)] has no path",
                    write: isKnown
                        ? "write = true or hidden = true only, or another name" : "path = \"/PATH/OF/A/CACHE.json\"")
            }
            return StoreSettings(
                name: name, path: try section.store("path"), mayWrite: try section.flag("write") ?? false,
                isHidden: try section.flag("hidden") ?? false)
        }
    }

    /// A setting that is true, false or a list of clients, in a table of its own.
    func clientSelection(_ key: String, in name: String, known: [SettingsTable.Setting]) throws(Failure)
        -> ClientSelection
    {
        guard let section = try section(name, write: "[\(name)] and \(key) = true") else { return .never }
        try section.refuseUnknown(known)
        if section.table[key]?.array != nil {
            let names = try section.texts(key)
            return names.isEmpty ? .never : .clients(names)
        }
        return try section.flag(key) ?? false ? .always : .never
    }

    /// `[forward]`.
    func forward() throws(Failure) -> ForwardSettings {
        var settings = ForwardSettings()
        guard let section = try section("forward", write: "[forward] and clients = [\"work\"]") else { return settings }
        try section.refuseUnknown(SettingsTable.forward)
        settings.clients = try section.texts("clients")
        settings.accounts = try section.texts("accounts")
        settings.scopes = try section.texts("scopes")
        if let scope = settings.scopes.first(where: { !ScopeSet.isScope($0) }) {
            throw section.wrong("scopes", "\"\(scope)\" is not a scope", write: "each scope as a text of its own")
        }
        settings.confirms = try section.flag("confirm") ?? true
        settings.lifetime = try section.time("lifetime") ?? ForwardSettings.usualLifetime
        return settings
    }

    /// `lock_on` and `lock_after`, of `[agent]`.
    func agentLock() throws(Failure) -> AgentLockSettings {
        var settings = AgentLockSettings()
        for name in try texts("lock_on") {
            guard let occasion = AgentLockSettings.Occasion(rawValue: name) else {
                let known = AgentLockSettings.Occasion.allCases.map { "\"\($0.rawValue)\"" }
                throw wrong(
                    "lock_on", "lock_on has \"\(name)\", which is no occasion",
                    write: "some of: " + known.joined(separator: ", "))
            }
            settings.occasions.insert(occasion)
        }
        settings.idleTime = try time("lock_after")
        return settings
    }
}
