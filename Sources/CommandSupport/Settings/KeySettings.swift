package import AppModel
import Console
package import Identity
import Keys
package import TOMLKit

extension SettingsReader {
    /// `[keys.PLACE]` with `COMMAND = "KEY"` or a list of keys.
    package func keyChanges(_ table: TOMLTable) throws(Failure) -> KeyChanges {
        guard let value = table["keys"] else { return .none }
        guard let places = value.table else {
            throw wrong(line: line(of: "keys", in: nil), "keys is not a table", write: "[keys.picker]")
        }
        var changes: [KeyChanges.Change] = []
        for name in places.keys.sorted() {
            let section = "keys.\(name)"
            guard let table = Registry.keyTables.first(where: { $0.context.rawValue == name }),
                let commands = places[name]?.table
            else {
                throw wrong(
                    line: headerLine(section), "no place is named \"\(name)\"",
                    write: "one of: " + Registry.keyTables.map(\.context.rawValue).joined(separator: ", "))
            }
            for word in commands.keys.sorted() {
                let here = line(of: word, in: section)
                let command = Command(word)
                guard Registry.commands.contains(command) else {
                    let known = table.bindings.map(\.command.rawValue)
                    throw wrong(
                        line: here, "no command is named \"\(word)\"", write: "one of: " + known.joined(separator: ", ")
                    )
                }
                let names = commands[word]?.string.map { [$0] } ?? commands[word]?.array?.compactMap(\.string) ?? []
                let keys = names.compactMap { Key(named: $0) }
                guard !keys.isEmpty, keys.count == names.count else {
                    throw wrong(
                        line: here, "\(word) names no key",
                        write: "\(word) = \"x\", \"F5\", \"Ctrl-B\" or a list of such names")
                }
                changes.append(KeyChanges.Change(context: table.context, command: command, keys: keys, line: here))
            }
        }
        do { return try KeyChanges(changes, of: Registry.keyTables) } catch {
            switch error {
            case .noSuchCommand(let change):
                throw wrong(
                    line: change.line, "keys cannot be given to \(change.command.rawValue) here",
                    write: "another command of this place")
            case .letter(let key, let change):
                throw wrong(
                    line: change.line, "\(key.name) is text here, for text is typed",
                    write: "a function key or Ctrl with a letter")
            case .taken(let key, let change, let other, let line):
                throw wrong(
                    line: change.line,
                    "\(key.name) is also the key of \(other.rawValue)"
                        + (line.map { " (line \($0))" } ?? ", its usual one"),
                    write: "another key, or give \(other.rawValue) one, too")
            }
        }
    }
}
