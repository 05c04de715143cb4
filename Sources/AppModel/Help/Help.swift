import Keys

/// The keys of the place from which help was asked for, read from its key table, in groups. What is searched for leaves
/// only the keys that fit.
package struct Help: Feature {
    private let table: KeyTable
    private let explainsSigns: Bool
    /// What was searched for below, which is not meant here.
    private let searchedBelow: String
    package var scroll = 0

    /// - Parameter isHome: whether the list of accounts is what is asked about, with its signs.
    init(_ table: KeyTable, isHome: Bool, in context: Context) {
        self.table = table
        explainsSigns = isHome && !table.takesText
        searchedBelow = context.searchText
    }

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        let closing = KeyBinding(
            [.escape, .character("q"), .enter, .character("?"), .function(1)], .back, "back", "close the help")
        let finding = KeyBinding([.character("/")], .search, "find", "show only the keys that fit what is typed")
        let rest = KeyBinding.reading(tools).filter { $0.command != .search }
        return [KeyTable(.help, "Help", [finding] + rest + [closing] + KeyBinding.everywhere)]
    }

    package var keyContext: KeyContext { .help }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.back, _): [.close]
        case .command(let command, _): [.scroll(command)]
        default: []
        }
    }

    package func title(in context: Context) -> String { "Keys: " + table.title }

    package func text(in context: Context) -> TextBlock { text(searching: searched(in: context)) }

    /// What is looked for here; empty where nothing is.
    package func searched(in context: Context) -> String {
        context.searchText == searchedBelow ? "" : context.searchText
    }

    package func text(searching searched: String) -> TextBlock {
        var block = TextBlock()
        for part in groups(searching: searched) + (signs.map { [$0] } ?? []) {
            if !block.isEmpty { block.blank() }
            for paragraph in part.paragraphs { block.add(paragraph) }
        }
        return block
    }

    /// Each with its heading.
    package func groups(searching searched: String) -> [TextBlock] {
        let wanted = AccountFilter.fold(searched)
        let all = table.bindings.filter { $0.command != .edit }
        let fitting = all.filter { Self.isFound(wanted, in: $0) }
        // Where nothing fits the search says so; an empty page would tell less than all keys.
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

    /// What the signs before the accounts mean.
    package var signs: TextBlock? {
        guard explainsSigns else { return nil }
        var block = TextBlock()
        block.heading("Symbols")
        block.item(.full, .ok, "valid: an access token is cached; no request is needed")
        block.item(.half, .attention, "refreshable: renewed at the provider, usually without you")
        block.item(.empty, .danger, "sign-in needed: nothing in the store works without you")
        return block
    }
}

/// What keys are about, in the order of the help.
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
