package import CommandSupport
package import FoundationEssentials
package import Glibc
package import Identity
import Proofs
import StrictJSON
import TokenCache

/// Detects retries: client-go calls its plugin again after the server rejected a token, without saying so. The same
/// process asking again within a minute means a rejection; later, as in a shell that calls the plugin repeatedly, it is
/// a normal request. Tokens are stored as fingerprints.
package struct RetryDetector: Sendable {
    private struct Entry: JSONRecord, StateEntry {
        var caller = ""
        var token = ""
        var at = Date()

        mutating func describe(_ member: inout JSONMembers) {
            member("caller", &caller, .text)
            member("token", &token, .text)
            member("at", &at, .time)
        }
    }

    private let list: StateList<Entry>
    private let caller: String?

    /// - Parameter place: the token's target; a process may use several.
    package init(_ environment: ProcessEnvironment, for place: String?, caller: pid_t = getppid()) {
        list = StateList(
            path: environment.stateFolder + "/plugin-callers.json",
            ListFormat("given", version: nil, maximumBytes: 65_536, most: 200))
        // A process ID can be reused, and a process can become another program by exec (kubectl's dispatcher does),
        // whose request is a first one.
        let entry = ProcessEntry(caller)
        self.caller =
            caller > 1 ? entry.stat.map { "\(caller)-\($0.start)-\(entry.program ?? "")-\(place ?? "")" } : nil
    }

    package func contains(_ token: Secret, at now: Date) -> Bool {
        guard let caller else { return false }
        let name = Self.name(token)
        // Counted from the first token: a server rejects immediately.
        return list.read().contains { $0.caller == caller && $0.token == name && $0.at.isWithin(60, before: now) }
    }

    /// If this cannot be saved, the caller's retry gets the same token.
    package func note(_ token: Secret, at now: Date) {
        guard let caller else { return }
        let name = Self.name(token)
        try? list.change { entries in
            let isThere = entries.contains {
                $0.caller == caller && $0.token == name && $0.at.isWithin(.infinity, before: now)
            }
            if !isThere { entries.append(Entry(caller: caller, token: name, at: now)) }
        }
    }

    private static func name(_ token: Secret) -> String { Fingerprint.of(["given token", token.reveal()]) }
}
