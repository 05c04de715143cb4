package import CommandSupport
package import FoundationEssentials
package import Identity
import StrictJSON
import TokenCache
import Wire

/// Access tokens that a server has refused before their time, by their fingerprints: the next request refreshes instead
/// of giving the same one out again.
package struct RefusedTokens: Sendable {
    private let file: StateFile
    private static let maximumBytes = 16_384
    private static let mostEntries = 64
    /// Seconds; no access token of a person lives longer.
    private static let lifetime: Int64 = 86_400

    package init(_ environment: ProcessEnvironment) {
        file = StateFile(
            path: environment.stateFolder + "/refused-tokens.json", maximumBytes: Self.maximumBytes)
    }

    package func contains(_ token: Secret, at now: Date) -> Bool {
        let name = Self.name(token)
        return Self.entries((try? file.read()) ?? nil, at: now).contains { $0.name == name }
    }

    /// A note that cannot be written costs the next request a refusal.
    package func note(_ token: Secret, at now: Date) {
        let name = Self.name(token)
        try? file.change { bytes in
            var entries = Self.entries(bytes, at: now).filter { $0.name != name }
            entries.append((name, Int64(now.timeIntervalSince1970)))
            let members = entries.suffix(Self.mostEntries).map {
                JSONMember(name: $0.name, value: JSONValue(integer: $0.at))
            }
            return Array((JSONValue.object(JSONObject(members)).serialized() + "\n").utf8)
        }
    }

    private static func name(_ token: Secret) -> String { Fingerprint.of(["refused token", token.reveal()]) }

    private static func entries(_ bytes: [UInt8]?, at now: Date) -> [(name: String, at: Int64)] {
        guard let bytes, let members = (try? JSONValue(parsing: bytes))?.object?.members else { return [] }
        let second = Int64(now.timeIntervalSince1970)
        return members.compactMap { member in
            guard let at = member.value.integer, at > second - lifetime, at <= second + 60 else { return nil }
            return (member.name, at)
        }
    }
}
