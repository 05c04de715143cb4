import Keys

/// How the user gives commands, and so how text refers to them: only faces with keys may mention keys.
package enum CommandNaming: Sendable {
    case keys
    case names
}

/// Names of commands in text, by context.
struct CommandNames: Sendable {
    private let tables: [KeyTable]
    private let naming: CommandNaming

    /// - Parameter tables: with the user's changes; empty if no text is shown.
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
    /// The name of a command in text: `Esc`, or `"back"` if names are typed; `":back"` in a context that takes text.
    ///
    /// - Parameter place: the context of the command.
    func name(of command: Command, at place: KeyContext) -> String { commandNames.name(of: command, at: place) }
}
