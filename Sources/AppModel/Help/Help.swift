import Keys

/// The keys of the place where help was opened, in groups, filtered by typing.
package struct Help: Feature {
    private let table: KeyTable
    private let explainsSigns: Bool
    package private(set) var filter = TextField()
    package var scroll = 0

    /// - Parameter isHome: whether help was opened on the list of accounts, so that it explains the signs.
    init(_ table: KeyTable, isHome: Bool) {
        self.table = table
        explainsSigns = isHome && !table.takesText
    }

    // Letters filter, so none moves the cursor. Two tables, because a question mark is text once a filter is typed, and
    // an Esc that arrives together with another key may only close an unfiltered help.
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        let moving =
            KeyBinding.arrows + [
                KeyBinding([.home], .first, "", "to the beginning"), KeyBinding([.end], .last, "", "to the end"),
            ]
        let closing = KeyBinding(
            [.escape, .enter, .character("?"), .function(1)], .back, "close",
            "close help; type to filter")
        let typed = [
            KeyBinding([.escape], .clearFilter, "all keys", "clear the filter"),
            KeyBinding([.enter, .function(1)], .back, "close", "close help"),
            KeyBinding(
                [.left, .right, .backspace, .delete, .control("u"), .control("a"), .control("e")], .edit, "",
                "edit the filter"),
        ]
        return [
            KeyTable(.help, "Help", [closing] + moving),
            KeyTable(.helpFilter, "Help: find a key", typed + moving),
        ]
    }

    package var keyContext: KeyContext { filter.isEmpty ? .help : .helpFilter }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.back, _): return [.close]
        case .command(.clearFilter, _): find(TextField())
        case .command(.edit, let key), .text(let key):
            var field = filter
            field.handle(key)
            find(field)
        case .command(let command, _): return [.scroll(command)]
        default: break
        }
        return []
    }

    private mutating func find(_ wanted: TextField) {
        if wanted.text != filter.text { scroll = 0 }
        filter = wanted
    }

    package func page(in context: Context) -> Page {
        Page(title: "Keys: " + table.title, addText: { $0 = text(filteredBy: filter.text) })
    }

    package func text(filteredBy text: String) -> TextBlock {
        var block = TextBlock()
        for part in groups(filteredBy: text) + (signs.map { [$0] } ?? []) {
            if !block.isEmpty { block.blank() }
            for paragraph in part.paragraphs { block.add(paragraph) }
        }
        return block
    }

    private var listed: [KeyBinding] { table.bindings.filter { $0.command != .edit } }

    package var findsNothing: Bool {
        let wanted = AccountFilter.fold(filter.text)
        return !listed.contains { Self.isFound(wanted, in: $0) }
    }

    package func groups(filteredBy text: String) -> [TextBlock] {
        let wanted = AccountFilter.fold(text)
        let all = listed
        let fitting = all.filter { Self.isFound(wanted, in: $0) }
        // Without a match the filter line says so, and all keys are shown.
        let shown = fitting.isEmpty ? all : fitting
        var groups = HelpGroup.allCases.compactMap { group -> TextBlock? in
            let keys = shown.filter { HelpGroup(of: $0.command) == group }
            guard !keys.isEmpty else { return nil }
            var block = TextBlock()
            block.heading(group.title(of: table))
            for binding in keys { block.add(.keys(binding)) }
            return block
        }
        if table.takesText {
            var block = TextBlock()
            block.heading("Typing")
            block.pair(
                "arrows, Home, End, Backspace, Del, Ctrl-U", .key, "edit the text; left and right change a choice",
                labelWidth: 26,
                isHalved: true)
            groups.append(block)
        }
        return groups
    }

    private static func isFound(_ wanted: [Unicode.Scalar], in binding: KeyBinding) -> Bool {
        let texts = [binding.help, binding.label, binding.command.rawValue] + binding.keys.map(\.name)
        return texts.contains { TextSearch.isFound(wanted, in: $0) }
    }

    package var signs: TextBlock? {
        guard explainsSigns else { return nil }
        var block = TextBlock()
        block.heading("Symbols")
        block.item(.full, .ok, "59 min: valid cached token, no request needed")
        block.item(.quarter, .attention, "4 min left: the cached token expires soon")
        block.item(.half, .ok, "renews on use: refreshes at the provider, usually without a prompt")
        block.item(.empty, .danger, "needs sign-in: no usable token in the store")
        block.item(.cross, .danger, "rejected: the provider required sign-in a moment ago")
        block.item(.warning, .attention, "blocked: a settings or store problem; signing in does not help")
        return block
    }
}

/// Groups of keys, in the order of the help.
private enum HelpGroup: CaseIterable {
    case here, several, list, moving, everywhere

    init(of command: Command) {
        self =
            switch command {
            case .mark, .markRange, .unmark: .several
            case .filter, .clearFilter, .cycleSorting, .cycleGrouping, .cycleClient: .list
            case .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last, .search, .searchNext,
                .searchPrevious:
                .moving
            case .palette, .toggleMouse, .copyMenu, .help, .redraw, .suspend, .quit, .pasteToken: .everywhere
            case _ where Registry.opensPage(command): .everywhere
            default: .here
            }
    }

    func title(of table: KeyTable) -> String {
        switch self {
        case .here: table.context == .picker ? "This account" : table.title
        case .several: "Several accounts"
        case .list: "List"
        case .moving: "Moving and searching"
        case .everywhere: "Everywhere"
        }
    }
}
