package import Identity
import StrictJSON

/// An entry of a store that cannot be used as what it stands for, as it was shown to a person.
package struct DamagedEntry: Hashable, Sendable {
    /// What it stands for.
    package var kind: CachedCredential.Kind
    /// The key of the entry.
    package var key: String
    package var clientID: String?
    package var homeAccountID: String?
    /// What is wrong with it.
    package var why: String
    /// Whether it has a secret: a refresh token may still be good, whatever else is wrong.
    package var hasSecret: Bool
    /// Whether MSAL for Python fails in every silent call while it is there, whoever is asked for.
    package var stopsOthers: Bool

    /// Whether it can go without loss.
    package var canGo: Bool { kind != .refreshToken || !hasSecret }
}

extension CacheSnapshot {
    /// The entries of tokens that are not what the schema says, in the order of the file. What JavaScript's library
    /// leaves in the place of a removed secret is meant to be so, and not among them.
    ///
    /// - Parameter clientID: only those that name this client; nil gives all.
    package func damagedEntries(clientID: String? = nil) -> [DamagedEntry] {
        Section.credentials.flatMap { section in
            damaged(in: section).map(\.damage).filter { clientID == nil || $0.clientID == clientID }
        }
    }

    /// With the place of each. An entry whose key cannot be read can be named to nobody, and is left out.
    func damaged(in section: Section) -> [(entry: CacheEntry, damage: DamagedEntry)] {
        guard let kind = section.kind, let outline, let node = outline.section(named: section.name) else { return [] }
        return outline.entries(of: node).indices.compactMap { index in
            let entry = CacheEntry(outline: outline, node: outline.entry(at: index), index: index)
            guard let key = entry.key, let why = entry.damage(as: kind) else { return nil }
            guard outline.isObject(entry.node) else {
                return (
                    entry,
                    DamagedEntry(
                        kind: kind, key: key, clientID: nil, homeAccountID: nil, why: why, hasSecret: false,
                        stopsOthers: true)
                )
            }
            return (
                entry,
                DamagedEntry(
                    kind: kind, key: key, clientID: entry.filled("client_id"),
                    homeAccountID: entry.filled("home_account_id"), why: why,
                    hasSecret: entry.hasSecret, stopsOthers: kind == .accessToken && entry.date("expires_on") == nil)
            )
        }
    }
}

extension CacheEntry {
    /// What keeps the entry from being used; nil when nothing does.
    fileprivate func damage(as kind: CachedCredential.Kind) -> String? {
        guard outline.isObject(node) else { return "it is no object" }
        // Half of a surrogate pair is a case of its own, and other libraries read it: such an entry is kept as it is.
        guard isDecodable else { return nil }
        if text("secret") == "<tombstone>" { return nil }
        guard hasSecret else { return "it has no secret" }
        for field in ["client_id", "environment"] as [StaticString] where filled(field) == nil {
            return "its \(field) is missing"
        }
        if credential(kind) == nil { return "one of its fields is not the text that it should be" }
        // Every writer of the format puts whole seconds there, as a text.
        if kind == .accessToken, date("expires_on") == nil { return "it does not say when it expires (expires_on)" }
        return nil
    }
}

extension CacheEdit {
    mutating func remove(_ damaged: Set<DamagedEntry>) {
        for section in Section.credentials {
            for (entry, damage) in snapshot.damaged(in: section) where damaged.contains(damage) {
                remove(entry, from: section)
            }
        }
    }
}
