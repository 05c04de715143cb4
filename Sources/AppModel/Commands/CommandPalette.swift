package import Keys

/// The commands that are valid now, found by a few letters of their names. It runs only commands that have a key.
package struct CommandPalette: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let command: Command
        package let name: String
        let aliases: [String]
        package let key: Key?
        package let help: String

        init(_ binding: KeyBinding) {
            (command, key, help) = (binding.command, binding.keys.first, binding.help)
            (name, aliases) = (binding.command.name, binding.command.aliases)
        }
    }

    /// Every command available where the palette was opened.
    package let items: [Item]
    package private(set) var field = TextField()
    /// Indexes into ``items``, best first.
    package private(set) var found: [Int]
    private var cursor = ListCursor()
    /// How far back in the history; nil for new text.
    private var recalled: Int?
    /// The text before the first Tab replaced it.
    private var completing: String?
    package var scroll = 0

    /// - Parameter bindings: the offered ones; movements are left out, as they cannot move a page below the palette.
    init(_ bindings: [KeyBinding]) {
        var seen: Set<Command> = []
        items = bindings.filter { !$0.command.isMovement && seen.insert($0.command).inserted }.map(Item.init)
        found = Array(items.indices)
    }

    package var selected: Int { cursor.selected }

    var chosen: Item? { found.indices.contains(selected) ? items[found[selected]] : nil }

    mutating func type(_ key: Key) {
        let before = field.text
        field.handle(key)
        guard field.text != before else { return }
        recalled = nil
        completing = nil
        search(field.text)
    }

    private mutating func search(_ text: String) {
        let folded = AccountFilter.fold(text.trimmingSpaces)
        cursor.reset()
        guard !folded.isEmpty else {
            found = Array(items.indices)
            return
        }
        found = items.enumerated().compactMap { index, item in rank(item, folded).map { ($0, index) } }
            .sorted { $0 < $1 }.map(\.1)
    }

    /// 0 for the whole name or an alias, 1 for its start, 2 for a part, 3 for letters in sequence, 4 for a part of the
    /// explanation.
    private func rank(_ item: Item, _ text: [Unicode.Scalar]) -> Int? {
        let names = ([item.name] + item.aliases).map(AccountFilter.fold)
        if names.contains(text) { return 0 }
        if names.contains(where: { $0.starts(with: text) }) { return 1 }
        if names.contains(where: { $0.place(of: text) != nil }) { return 2 }
        if names[0].places(inOrder: text) != nil { return 3 }
        return AccountFilter.fold(item.help).place(of: text) == nil ? nil : 4
    }

    /// Writes the selected name into the line; the next call writes the next name.
    mutating func complete(_ step: Int) {
        guard !found.isEmpty else { return }
        if completing == nil {
            completing = field.text
            if step < 0 { cursor.select(found.count - 1, count: found.count) }
        } else {
            cursor.select((selected + step + found.count) % found.count, count: found.count)
        }
        if let chosen { field = TextField(chosen.name) }
    }

    mutating func recall(_ step: Int, _ history: [String]) {
        guard !history.isEmpty else { return }
        let back = (recalled ?? 0) + step
        completing = nil
        guard back > 0 else {
            recalled = nil
            field = TextField()
            search("")
            return
        }
        let place = min(back, history.count)
        recalled = place
        field = TextField(history[history.count - place])
        search(field.text)
    }

    mutating func select(_ place: Int) { cursor.select(place, count: found.count) }

    mutating func page(_ command: Command) { cursor.move(command, count: found.count, page: 5) }
}

extension CommandPalette: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .palette, "Commands",
                [
                    KeyBinding([.enter], .open, "run", "run the selected command"),
                    KeyBinding([.tab], .nextField, "complete", "complete; repeat for the next"),
                    KeyBinding([.backTab], .previousField, "", "complete the previous name"),
                    KeyBinding([.up, .control("p")], .up, "previous", "previous command in the history"),
                    KeyBinding([.down, .control("n")], .down, "", "next command in the history"),
                    KeyBinding([.pageUp], .pageUp, "", "up in the list"),
                    KeyBinding([.pageDown], .pageDown, "", "down in the list"),
                    KeyBinding([.escape], .back, "back", "close the command line"),
                    KeyBinding([.function(1)], .help, "help", "show keys"),
                ] + KeyBinding.editing)
        ]
    }

    package var keyContext: KeyContext { .palette }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .text(let key), .command(.edit, let key): type(key)
        case .select(let place): select(place)
        case .command(.open, _):
            return chosen.map { [.run($0.command)] } ?? [
                .notice("no such command; \(context.name(of: .back, at: keyContext)) closes")
            ]
        case .command(.back, _): return [.close]
        case .command(.nextField, _): complete(1)
        case .command(.previousField, _): complete(-1)
        case .command(.up, _): recall(1, context.commandHistory)
        case .command(.down, _): recall(-1, context.commandHistory)
        case .command(let command, _): page(command)
        default: break
        }
        return []
    }

    package func page(in context: Context) -> Page { Page(title: "Commands") }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
