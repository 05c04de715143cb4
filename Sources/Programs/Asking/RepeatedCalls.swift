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
    private let file: StateFile
    private let caller: String?
    private static let maximumBytes = 65_536
    private static let mostEntries = 200
    /// Seconds from the first answer: a server refuses at once.
    private static let lifetime: Int64 = 60

    /// - Parameters:
    ///   - place: what the token is for; a process may have several of them.
    ///   - caller: the process that has started this one.
    package init(_ environment: ProcessEnvironment, for place: String?, caller: pid_t = getppid()) {
        file = StateFile(path: environment.stateFolder + "/plugin-callers.json", maximumBytes: Self.maximumBytes)
        // The number alone may be another process's by now, and a process may become another program, as kubectl's
        // dispatcher does: that one asks for the first time.
        let entry = ProcessEntry(caller)
        self.caller =
            caller > 1 ? entry.stat.map { "\(caller)-\($0.start)-\(entry.program ?? "")-\(place ?? "")" } : nil
    }

    package func contains(_ token: Secret, at now: Date) -> Bool {
        guard let caller else { return false }
        let (name, second) = (Self.name(token), Int64(now.timeIntervalSince1970))
        return Self.entries((try? file.read()) ?? nil).contains {
            $0.caller == caller && $0.token == name && $0.at > second - Self.lifetime && $0.at <= second + 1
        }
    }

    /// A note that cannot be written costs the caller its second chance.
    package func note(_ token: Secret, at now: Date) {
        guard let caller else { return }
        let (name, second) = (Self.name(token), Int64(now.timeIntervalSince1970))
        try? file.change { bytes in
            var entries = Self.entries(bytes)
            let isThere = entries.contains { $0.caller == caller && $0.token == name && $0.at <= second + 1 }
            if !isThere { entries.append((caller, name, second)) }
            let list = entries.suffix(Self.mostEntries).map {
                JSONValue(("caller", $0.caller.json), ("token", $0.token.json), ("at", JSONValue(integer: $0.at)))
            }
            return Array((JSONValue(("given", .array(list))).serialized() + "\n").utf8)
        }
    }

    private static func name(_ token: Secret) -> String { Fingerprint.of(["given token", token.reveal()]) }

    private static func entries(_ bytes: [UInt8]?) -> [(caller: String, token: String, at: Int64)] {
        guard let bytes, let list = (try? JSONValue(parsing: bytes))?["given"]?.array else { return [] }
        return list.compactMap { value in
            guard let caller = value["caller"]?.string, let token = value["token"]?.string,
                let at = value["at"]?.integer
            else { return nil }
            return (caller, token, at)
        }
    }
}
