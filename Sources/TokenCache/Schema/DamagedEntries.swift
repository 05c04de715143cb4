package import Identity
import StrictJSON

/// An unusable token entry of a store, as shown to the user.
package struct DamagedEntry: Hashable, Sendable {
    package var kind: CachedCredential.Kind
    package var key: String
    package var clientID: String?
    package var homeAccountID: String?
    /// The defect, for display.
    package var why: String
    /// Whether it has a secret: a refresh token can still be valid despite other defects.
    package var hasSecret: Bool
    /// Whether MSAL for Python fails in every silent call, for any account, while this entry exists.
    package var stopsOthers: Bool

    /// Whether it can be removed without loss.
    package var canGo: Bool { kind != .refreshToken || !hasSecret }
}

extension CacheSnapshot {
    /// Token entries that do not follow the schema, in file order. Tombstones of MSAL.js are valid and not included.
    package func damagedEntries(clientID: String? = nil) -> [DamagedEntry] {
        Section.credentials.flatMap { section in
            damaged(in: section).map(\.damage).filter { damage in
                clientID.map { ClientID.isSame(damage.clientID ?? "", $0) } ?? true
            }
        }
    }

    /// The damaged entries with their positions. Entries with an unreadable key cannot be referred to and are omitted.
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
                    kind: kind, key: key, clientID: entry.clientID,
                    homeAccountID: entry.filled("home_account_id"), why: why,
                    hasSecret: entry.hasSecret, stopsOthers: kind == .accessToken && entry.date("expires_on") == nil)
            )
        }
    }
}

extension CacheEntry {
    /// The defect that makes the entry unusable; nil if there is none.
    fileprivate func damage(as kind: CachedCredential.Kind) -> String? {
        guard outline.isObject(node) else { return "not an object" }
        // Half of a surrogate pair is not a defect here: other libraries can read such an entry, so it is preserved.
        guard isDecodable else { return nil }
        if text("secret") == "<tombstone>" { return nil }
        guard hasSecret else { return "it has no secret" }
        for field in ["client_id", "environment"] as [StaticString] where filled(field) == nil {
            return "its \(field) is missing"
        }
        if credential(kind) == nil { return "a field is not a string" }
        // Every writer of the format stores integer seconds in a string here.
        if kind == .accessToken, date("expires_on") == nil { return "it has no expiry time (expires_on)" }
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
