import Keys

/// How a person gives a command, and so how texts name one: only a face that has keys may speak of them.
package enum CommandNaming: Sendable {
    /// By the keys of the key tables.
    case keys
    /// By the commands' names, which are typed.
    case names
}

/// What texts call the commands, by where they are given.
struct CommandNames: Sendable {
    private let tables: [KeyTable]
    private let naming: CommandNaming

    /// - Parameter tables: with the person's changes; empty where no text is shown.
    init(_ tables: [KeyTable] = [], _ naming: CommandNaming = .names) { (self.tables, self.naming) = (tables, naming) }

    fileprivate func name(of command: Command, at place: KeyContext) -> String {
        let table = tables.first { $0.context == place }
        if naming == .keys,
            let key = table?.bindings.first(where: { $0.command == command && !$0.keys.isEmpty })?.keys.first
        {
            return key.name(isASCII: true)
        }
        return "\"" + (table?.takesText == true ? ":" : "") + command.name + "\""
    }
}

extension Context {
    /// What a text calls a command: `Esc`, or `"back"` where names are typed; where text is typed, too, `":back"`.
    ///
    /// - Parameter place: where the command is given.
    func name(of command: Command, at place: KeyContext) -> String { commandNames.name(of: command, at: place) }
}
