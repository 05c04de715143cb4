package import CommandSupport
package import FoundationEssentials
package import Glibc
package import Identity
import StrictJSON
import TokenCache
import Wire

/// Which process was given which token, by its fingerprint: client-go calls its plugin again when the server refused a
/// token, and does not say so. The same process that asks again within a minute was refused; one that asks later, such
/// as a shell in which the plugin is called again and again, wants a token.
package struct RepeatedCalls: Sendable {
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

    /// - Parameters:
    ///   - place: what the token is for; a process may have several of them.
    ///   - caller: the process that has started this one.
    package init(_ environment: ProcessEnvironment, for place: String?, caller: pid_t = getppid()) {
        list = StateList(
            path: environment.stateFolder + "/plugin-callers.json",
            ListFormat("given", version: nil, maximumBytes: 65_536, most: 200))
        // The number alone may be another process's by now, and a process may become another program, as kubectl's
        // dispatcher does: that one asks for the first time.
        let entry = ProcessEntry(caller)
        self.caller =
            caller > 1 ? entry.stat.map { "\(caller)-\($0.start)-\(entry.program ?? "")-\(place ?? "")" } : nil
    }

    package func contains(_ token: Secret, at now: Date) -> Bool {
        guard let caller else { return false }
        let name = Self.name(token)
        // From the first answer: a server refuses at once.
        return list.read().contains { $0.caller == caller && $0.token == name && $0.at.isWithin(60, before: now) }
    }

    /// A note that cannot be written costs the caller its second chance.
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
