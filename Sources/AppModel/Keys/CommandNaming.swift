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
    private let keys: [KeyContext: [Command: String]]
    private let takingText: Set<KeyContext>

    /// - Parameter tables: with the person's changes; empty where no text is shown.
    init(_ tables: [KeyTable] = [], _ naming: CommandNaming = .names) {
        takingText = Set(tables.filter(\.takesText).map(\.context))
        guard naming == .keys else {
            keys = [:]
            return
        }
        var keys: [KeyContext: [Command: String]] = [:]
        for table in tables {
            let names = table.bindings.compactMap { binding in
                binding.keys.first.map { (binding.command, $0.name(isASCII: true)) }
            }
            keys[table.context] = Dictionary(names, uniquingKeysWith: { first, _ in first })
        }
        self.keys = keys
    }

    fileprivate func name(of command: Command, at place: KeyContext) -> String {
        keys[place]?[command] ?? "\"" + (takingText.contains(place) ? ":" : "") + command.name + "\""
    }
}

extension Context {
    /// What a text calls a command: `Esc`, or `"back"` where names are typed; where text is typed, too, `":back"`.
    ///
    /// - Parameter place: where the command is given.
    func name(of command: Command, at place: KeyContext) -> String { commandNames.name(of: command, at: place) }
}
