import AppModel
import CommandSupport
import Identity
import Keys

extension KeySettings {
    /// - Throws: `configuration`, with the line, the problem and the correction.
    func changes(in path: String) throws(Failure) -> KeyChanges {
        func wrong(line: Int, _ what: String, write: String) -> Failure {
            SettingsReader(path: path, text: "").wrong(line: line, what, write: write)
        }
        var changes: [KeyChanges.Change] = []
        for place in places {
            guard let table = Registry.keyTables.first(where: { $0.context.rawValue == place.name }),
                let commands = place.commands
            else {
                throw wrong(
                    line: place.line, "unknown place \"\(place.name)\"",
                    write: "one of: " + Registry.keyTables.map(\.context.rawValue).joined(separator: ", "))
            }
            for named in commands {
                guard let command = Command(rawValue: named.name), Registry.commands.contains(command) else {
                    let known = table.bindings.map(\.command.rawValue)
                    throw wrong(
                        line: named.line, "unknown command \"\(named.name)\"",
                        write: "one of: " + known.joined(separator: ", "))
                }
                let keys = named.keys.compactMap { Key(named: $0) }
                guard !keys.isEmpty, keys.count == named.keys.count else {
                    throw wrong(
                        line: named.line, "\(named.name): invalid key",
                        write: "\(named.name) = \"x\", \"F5\", \"Ctrl-B\" or a list of such names")
                }
                changes.append(
                    KeyChanges.Change(context: table.context, command: command, keys: keys, line: named.line))
            }
        }
        do { return try KeyChanges(changes, of: Registry.keyTables) } catch {
            switch error {
            case .noSuchCommand(let change):
                throw wrong(
                    line: change.line, "keys of \(change.command.rawValue) cannot be changed here",
                    write: "another command of this table")
            case .letter(let key, let change):
                throw wrong(
                    line: change.line, "\(key.name) types text here",
                    write: "a function key or Ctrl with a letter")
            case .taken(let key, let change, let other, let line):
                throw wrong(
                    line: change.line,
                    "\(key.name) is also the key of \(other.rawValue)"
                        + (line.map { " (line \($0))" } ?? " (its default)"),
                    write: "another key, or also change that of \(other.rawValue)")
            }
        }
    }
}
