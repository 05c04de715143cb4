package import CommandSupport
package import FoundationEssentials
package import Identity
import Proofs
import StrictJSON
import TokenCache

/// Fingerprints of access tokens that a server rejected before they expired, so the next request refreshes instead of
/// returning the same token.
package struct RejectedTokens: Sendable {
    private struct Entry: JSONRecord, StateEntry {
        var name = ""
        var at = Date()

        mutating func describe(_ member: inout JSONMembers) {
            member("name", &name, .text)
            member("value", &at, .time)
        }

        /// A year: the server may not have announced an end, and no server accepts a token again.
        func holds(at now: Date) -> Bool { at.isWithin(31_536_000, before: now, ahead: 60) }
    }

    private let list: StateList<Entry>

    package init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/refused-tokens.json",
            ListFormat(nil, version: nil, maximumBytes: 16_384, most: 64, isByName: true))
    }

    package func contains(_ token: Secret, at now: Date) -> Bool {
        let name = Self.name(token)
        return list.read(at: now).contains { $0.name == name }
    }

    /// If this cannot be saved, the next request gets the rejected token again.
    package func note(_ token: Secret, at now: Date) {
        let name = Self.name(token)
        try? list.change(at: now) { entries in
            entries.removeAll { $0.name == name }
            entries.append(Entry(name: name, at: now))
        }
    }

    private static func name(_ token: Secret) -> String { Fingerprint.of(["refused token", token.reveal()]) }
}
