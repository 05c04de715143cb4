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
        for part in groups(filteredBy: text) {
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

    /// - Parameter isBrief: for narrow columns: opposite keys in one row, and no details.
    package func groups(filteredBy text: String, isBrief: Bool = false) -> [TextBlock] {
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
            for binding in isBrief ? Self.brief(keys) : keys { block.add(.keys(binding)) }
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
        return groups + (signs.map { [$0] } ?? [])
    }

    private static let opposites: [Command: Command] = [
        .up: .down, .pageUp: .pageDown, .halfUp: .halfDown, .first: .last, .searchNext: .searchPrevious,
    ]

    private static func brief(_ keys: [KeyBinding]) -> [KeyBinding] {
        var rows: [KeyBinding] = []
        for binding in keys {
            let brief = KeyBinding(binding.keys, binding.command, binding.label, binding.briefHelp)
            if let last = rows.last, opposites[last.command] == binding.command {
                rows[rows.count - 1] = last.with(opposite: brief)
            } else if let last = rows.last, Tab(last.command) != nil, Tab(binding.command) != nil {
                rows[rows.count - 1] = KeyBinding(
                    last.keys + brief.keys, last.command, last.label, last.help + ", " + brief.help)
            } else {
                rows.append(brief)
            }
        }
        return rows
    }

    private static func isFound(_ wanted: [Unicode.Scalar], in binding: KeyBinding) -> Bool {
        let texts = [binding.help, binding.label, binding.command.rawValue] + binding.keys.map(\.name)
        return texts.contains { TextSearch.isFound(wanted, in: $0) }
    }

    private var signs: TextBlock? {
        guard explainsSigns else { return nil }
        var block = TextBlock()
        block.heading("Symbols")
        block.item(.full, .ok, "59 min: cached token")
        block.item(.quarter, .attention, "4 min left: expires soon")
        block.item(.half, .ok, "renews on use: refresh token")
        block.item(.empty, .danger, "needs sign-in: no usable token")
        block.item(.cross, .danger, "rejected: provider wants sign-in")
        block.item(.warning, .attention, "blocked: by settings or the store")
        return block
    }
}

extension KeyBinding {
    /// Both directions in one row, such as `page up, down`.
    fileprivate func with(opposite other: KeyBinding) -> KeyBinding {
        let (own, others) = (help.split(separator: " "), other.help.split(separator: " "))
        let common = zip(own, others).prefix { $0 == $1 }.count
        let pairs = (0..<max(keys.count, other.keys.count)).flatMap { place in
            [keys, other.keys].compactMap { $0.indices.contains(place) ? $0[place] : nil }
        }
        return KeyBinding(pairs, command, label, help + ", " + others.dropFirst(common).joined(separator: " "))
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
