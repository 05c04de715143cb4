package import CommandSupport
import Console
package import FoundationEssentials
import Glibc
import Identity
package import StrictJSON
import TokenCache

/// What the broker has answered to whom, one JSON object on a line and no token: `~/.local/state/foyer/broker.log`.
package struct BrokerLog: Sendable {
    package struct Entry: Sendable {
        package var caller: BrokerCaller
        package var method: String
        package var clientID = ""
        package var scopes: [String] = []
        package var account: String?
        /// `given`, the source of a token, or the refusal's status.
        package var outcome: String
        /// Why not, for a person.
        package var detail: String?
    }

    package let path: String
    /// Bytes; the log before is kept beside, with `.1`.
    private static let longest: off_t = 1_048_576

    package init(_ environment: ProcessEnvironment) { path = environment.stateFolder + "/broker.log" }

    /// One that cannot be written is only missed by who reads it: nobody's token waits for it.
    package func add(_ entry: Entry, at now: Date) {
        let text = json(entry, now).serialized() + "\n"
        Output.write(text, to: STDERR_FILENO)
        Folder.make(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        var info = stat()
        if lstat(path, &info) == 0, info.st_size > Self.longest { rename(path, path + ".1") }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = uninterrupted { open(path, flags, 0o600) }
        guard file >= 0 else { return }
        Output.write(text, to: file)
        close(file)
    }

    private func json(_ entry: Entry, _ now: Date) -> JSONValue {
        func line(_ text: String) -> JSONValue { SafeText.line(text, limit: 300).json }
        return JSONValue(
            ("time", now.rfc3339.json), ("program", line(entry.caller.program)),
            ("pid", JSONValue(integer: entry.caller.pid)), ("method", entry.method.json),
            ("clientId", line(entry.clientID)), ("scopes", .array(entry.scopes.prefix(20).map(line))),
            ("account", entry.account.map(line) ?? .null), ("outcome", entry.outcome.json),
            ("detail", entry.detail.map(line) ?? .null))
    }

    /// The last answers, the latest last; none where there is no log, or none that is understood.
    package func last(_ count: Int) -> [JSONValue] {
        guard let bytes = try? TextFile.read(path, limit: Int(Self.longest) * 2, what: "log of the broker") else {
            return []
        }
        return bytes.split(separator: 0x0A).suffix(count).compactMap { try? JSONValue(parsing: Array($0)) }
    }
}
