package import Terminal

/// What a person has bound differently. A change takes the command's usual keys away and gives it the new ones.
package struct KeyChanges: Equatable, Sendable {
    package struct Change: Equatable, Sendable {
        package var place: KeyTable.Place
        package var command: Command
        package var keys: [Key]
        /// Where it stands in the settings, for what is said of it.
        package var line: Int

        package init(place: KeyTable.Place, command: Command, keys: [Key], line: Int) {
            self.place = place
            self.command = command
            self.keys = keys
            self.line = line
        }
    }

    /// Why changes cannot be used.
    package enum Problem: Error, Equatable, Sendable {
        /// The place has no such command, or it is not one that keys may be given to.
        case noSuchCommand(Change)
        /// A letter is text where text is typed.
        case letter(Key, Change)
        /// Two commands of one place want one key; the other's line is nil where it is that command's usual key.
        case taken(Key, Change, by: Command, line: Int?)
    }

    private let changes: [Change]

    package static let none = KeyChanges(checked: [])
    private init(checked: [Change]) { changes = checked }

    /// - Throws: ``Problem`` for the first change that cannot be.
    package init(_ changes: [Change]) throws(Problem) {
        let all = KeyChanges(checked: changes)
        for change in changes {
            let table = KeyTable.of(change.place)
            guard change.command != .edit, let binding = table.bindings.first(where: { $0.command == change.command }),
                !KeyTable.everywhere.contains(where: { $0.command == change.command && $0.keys == binding.keys })
            else { throw .noSuchCommand(change) }
            if table.takesText, let letter = change.keys.first(where: \.isText) {
                throw .letter(letter, change)
            }
            for binding in KeyTable.of(change.place, all).bindings where binding.command != change.command {
                guard let key = binding.keys.first(where: change.keys.contains) else { continue }
                let other = changes.first { $0.place == change.place && $0.command == binding.command }
                throw .taken(key, change, by: binding.command, line: other?.line)
            }
        }
        self = all
    }

    /// The table with the changes in it: only the first binding of a command, so that Ctrl-C always quits.
    func applied(to table: KeyTable) -> KeyTable {
        let here = changes.filter { $0.place == table.place }
        guard !here.isEmpty else { return table }
        var done: Set<Command> = []
        let bindings = table.bindings.map { binding in
            guard let change = here.last(where: { $0.command == binding.command }),
                done.insert(binding.command).inserted
            else {
                return binding
            }
            return binding.with(keys: change.keys)
        }
        return KeyTable(place: table.place, title: table.title, bindings: bindings)
    }
}

extension Key {
    fileprivate var isText: Bool {
        if case .character = self { return true }
        return false
    }
}
