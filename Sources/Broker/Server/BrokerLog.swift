package import CommandSupport
import Console
package import FoundationEssentials
import Glibc
import Identity
package import StrictJSON
import TokenCache

/// The broker's log, `~/.local/state/foyer/broker.log`: one JSON object per line, without tokens.
package struct BrokerLog: Sendable {
    package struct Entry: Sendable {
        package var caller: BrokerCaller
        package var method: String
        package var clientID = ""
        package var scopes: [String] = []
        package var account: String?
        /// `given`, the source of a token, or the refusal's status.
        package var outcome: String
        /// The reason of a refusal, for display.
        package var detail: String?
    }

    private let folder: String
    package var path: String { folder + "/broker.log" }
    /// Bytes; the previous log is kept with the suffix `.1`.
    private static let longest: off_t = 1_048_576

    package init(_ environment: ProcessEnvironment) { folder = environment.stateFolder }

    /// Errors are ignored: no token depends on the log.
    package func add(_ entry: Entry, at now: Date) {
        let text = json(entry, now).serialized() + "\n"
        Output.write(text, to: STDERR_FILENO)
        Folder.make(folder)
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

    /// The last entries, newest last; empty if the log is missing or unreadable.
    package func last(_ count: Int) -> [JSONValue] {
        guard let bytes = try? TextFile.read(path, limit: Int(Self.longest) * 2, what: "broker log") else {
            return []
        }
        return bytes.split(separator: 0x0A).suffix(count).compactMap { try? JSONValue(parsing: Array($0)) }
    }
}
