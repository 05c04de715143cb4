package import Identity
import StrictJSON

package enum MaskedEntry {
    /// The stored entry of a credential as multi-line JSON, with all its fields, including unknown ones; secrets are
    /// replaced by their length. Nil if the entry no longer exists.
    package static func text(of credential: CachedCredential, in snapshot: CacheSnapshot) -> String? {
        guard let section = Section(rawValue: credential.kind.rawValue) else { return nil }
        let key = credential.id
        guard let entry = snapshot.entries(section).first(where: { $0.key == key }),
            let value = try? JSONValue(
                parsing: Array(entry.outline.source(of: entry.node)), limits: CacheSnapshot.limits)
        else { return nil }
        let named = JSONObject([JSONMember(name: key, value: masked(value, isNamed: nil))])
        return JSONValue.object(JSONObject([JSONMember(name: section.rawValue, value: .object(named))])).serialized(
            pretty: true)
    }

    /// Known fields that are not secret.
    private static let open: Set<String> = [
        "credential_type", "home_account_id", "environment", "client_id", "target", "realm", "token_type", "cached_at",
        "expires_on",
        "extended_expires_on", "ext_expires_on", "refresh_on", "family_id", "last_modification_time", "kid", "key_id",
        "keyid",
    ]

    /// Unknown fields are shown only if short: another program could store a token there.
    private static func masked(_ value: JSONValue, isNamed name: String?) -> JSONValue {
        switch value {
        case .object(let object):
            return .object(
                JSONObject(object.members.map { JSONMember(name: $0.name, value: masked($0.value, isNamed: $0.name)) }))
        case .array(let values): return .array(values.map { masked($0, isNamed: name) })
        case .string(let text):
            if let name, open.contains(name) { return value }
            let isShort = text.utf8.count <= 40 && !isSecretName(name ?? "")
            return isShort ? value : .string("(\(text.utf8.count) bytes, hidden)")
        case .null, .bool, .number: return value
        }
    }

    private static func isSecretName(_ name: String) -> Bool {
        let folded = name.asciiLowercased
        return ["secret", "token", "assertion", "password", "key"].contains { folded.contains($0) }
    }
}
