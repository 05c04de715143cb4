import Keys

/// The keys of the place from which help was asked for, read from its key table.
package struct Help: Feature {
    private let table: KeyTable
    private let explainsSigns: Bool
    package var scroll = 0

    /// - Parameter isHome: whether the list of accounts is what is asked about, with its signs.
    init(_ table: KeyTable, isHome: Bool) {
        self.table = table
        explainsSigns = isHome && !table.takesText
    }

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        let closing = KeyBinding(
            [.escape, .character("q"), .enter, .character("?"), .function(1)], .back, "back", "close the help")
        return [KeyTable(.help, "Help", KeyBinding.reading(tools) + [closing] + KeyBinding.everywhere)]
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

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        for binding in table.bindings where binding.command != .edit { block.add(.keys(binding)) }
        if table.takesText {
            block.pair(
                "arrows, Home, End, Backspace, Del, Ctrl-U", .key, "edit the text; left and right change a choice",
                labelWidth: 26,
                isHalved: true)
        }
        if explainsSigns {
            block.blank()
            block.heading("Symbols")
            block.item(.full, .ok, "valid: an access token is cached; no request is needed")
            block.item(.half, .attention, "refreshable: renewed at the provider, usually without you")
            block.item(.empty, .danger, "sign-in needed: nothing in the store works without you")
        }
        return block
    }
}
