package import CommandSupport
package import Glibc
package import Identity
import StrictJSON
import TokenCache
import Wire

/// Which process was given which token, by its fingerprint: client-go calls its plugin again when the server refused a
/// token, and does not say so. The same process that asks again while the token has not expired was refused.
package struct RepeatedCalls: Sendable {
    private let file: StateFile
    private let caller: String?
    private static let maximumBytes = 65_536
    private static let mostEntries = 200

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

    package func contains(_ token: Secret) -> Bool {
        guard let caller else { return false }
        let name = Self.name(token)
        return Self.entries((try? file.read()) ?? nil).contains { $0.caller == caller && $0.token == name }
    }

    /// A note that cannot be written costs the caller its second chance.
    package func note(_ token: Secret) {
        guard let caller else { return }
        let name = Self.name(token)
        try? file.change { bytes in
            let kept = Self.entries(bytes).filter { $0.caller != caller || $0.token != name }
            let list = (kept + [(caller, name)]).suffix(Self.mostEntries).map {
                JSONValue(("caller", $0.caller.json), ("token", $0.token.json))
            }
            return Array((JSONValue(("given", .array(list))).serialized() + "\n").utf8)
        }
    }

    private static func name(_ token: Secret) -> String { Fingerprint.of(["given token", token.reveal()]) }

    private static func entries(_ bytes: [UInt8]?) -> [(caller: String, token: String)] {
        guard let bytes, let list = (try? JSONValue(parsing: bytes))?["given"]?.array else { return [] }
        return list.compactMap { value in
            guard let caller = value["caller"]?.string, let token = value["token"]?.string else { return nil }
            return (caller, token)
        }
    }
}
