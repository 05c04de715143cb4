package import Keys

/// The user's key bindings. A change replaces a command's default keys.
package struct KeyChanges: Equatable, Sendable {
    package struct Change: Equatable, Sendable {
        package var context: KeyContext
        package var command: Command
        package var keys: [Key]
        package var line: Int

        package init(context: KeyContext, command: Command, keys: [Key], line: Int) {
            (self.context, self.command, self.keys, self.line) = (context, command, keys, line)
        }
    }

    /// Why a change cannot be used.
    package enum Problem: Error, Equatable, Sendable {
        /// The context has no such command, or the command cannot be bound.
        case noSuchCommand(Change)
        /// The letter is needed for typing text in this context.
        case letter(Key, Change)
        /// Two commands of one context have the same key; `line` is nil if it is the other command's default key.
        case taken(Key, Change, by: Command, line: Int?)
    }

    private let changes: [Change]

    package static let none = KeyChanges(checked: [])
    private init(checked: [Change]) { changes = checked }

    /// - Parameter tables: the default keys of every context.
    /// - Throws: ``Problem`` for the first invalid change.
    package init(_ changes: [Change], of tables: [KeyTable]) throws(Problem) {
        let all = KeyChanges(checked: changes)
        for change in changes {
            guard let table = tables.first(where: { $0.context == change.context }), change.command != .edit,
                let binding = table.bindings.first(where: { $0.command == change.command }),
                !KeyBinding.everywhere.contains(where: { $0.command == change.command && $0.keys == binding.keys })
            else { throw .noSuchCommand(change) }
            if table.takesText, let letter = change.keys.first(where: \.isText) { throw .letter(letter, change) }
            for binding in all.applied(to: table).bindings where binding.command != change.command {
                guard let key = binding.keys.first(where: change.keys.contains) else { continue }
                let other = changes.first { $0.context == change.context && $0.command == binding.command }
                throw .taken(key, change, by: binding.command, line: other?.line)
            }
        }
        self = all
    }

    /// The table with the changes. Only a command's first binding changes, so Ctrl-C always quits.
    package func applied(to table: KeyTable) -> KeyTable {
        let here = changes.filter { $0.context == table.context }
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
        return KeyTable(table.context, table.title, bindings)
    }
}

extension Key {
    fileprivate var isText: Bool {
        if case .character = self { return true }
        return false
    }
}
