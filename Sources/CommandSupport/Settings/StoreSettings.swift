import Identity
import TOMLKit
import TokenCache

/// `[stores.NAME]`: another program's store, or permission to change a known one.
package struct StoreSettings: Sendable {
    package var name: String
    /// Nil for a known program.
    package var path: String?
    /// Whether foyer may change it; false by default.
    package var mayWrite: Bool
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
                    "foyer's own store is set with \"store\"", write: "store = \"file:PATH\" at the top")
            }
            guard isKnown != (path != nil) else {
                throw section.wrong(
                    isKnown ? "the path of \(name) cannot be changed" : "[stores.\(name)] has no path",
                    write: isKnown
                        ? "only write = true or hidden = true, or use another name"
                        : "path = \"/PATH/OF/A/CACHE.json\"")
            }
            return StoreSettings(
                name: name, path: try section.store("path"), mayWrite: try section.flag("write") ?? false,
                isHidden: try section.flag("hidden") ?? false)
        }
    }

    /// A setting in its own table that is true, false or a list of clients.
    func clientSelection(_ key: String, in name: String, known: [SettingsTable.Setting]) throws(Failure)
        -> ClientSelection
    {
        guard let section = try section(name, write: "[\(name)] and \(key) = true") else { return .never }
        try section.refuseUnknown(known)
        if section[key]?.array != nil {
            let names = try section.texts(key)
            return names.isEmpty ? .never : .clients(names)
        }
        return try section.flag(key) ?? false ? .always : .never
    }

    func forward() throws(Failure) -> ForwardSettings {
        var settings = ForwardSettings()
        guard let section = try section("forward", write: "[forward] and clients = [\"work\"]") else { return settings }
        try section.refuseUnknown(SettingsTable.forward)
        settings.clients = try section.texts("clients")
        settings.accounts = try section.texts("accounts")
        settings.scopes = try section.texts("scopes")
        if let scope = settings.scopes.first(where: { !ScopeSet.isScope($0) }) {
            throw section.wrong("scopes", "\"\(scope)\" is not a scope", write: "each scope as its own string")
        }
        settings.confirms = try section.flag("confirm") ?? true
        settings.lifetime = try section.time("lifetime") ?? ForwardSettings.usualLifetime
        return settings
    }

    func agentLock() throws(Failure) -> AgentLockSettings {
        var settings = AgentLockSettings()
        for name in try texts("lock_on") {
            guard let occasion = AgentLockSettings.LockTrigger(rawValue: name) else {
                let known = AgentLockSettings.LockTrigger.allCases.map { "\"\($0.rawValue)\"" }
                throw wrong(
                    "lock_on", "lock_on: unknown value \"\(name)\"",
                    write: "some of: " + known.joined(separator: ", "))
            }
            settings.occasions.insert(occasion)
        }
        settings.idleTime = try time("lock_after")
        return settings
    }
}
