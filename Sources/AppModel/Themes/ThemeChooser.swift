import Keys

/// The themes. The selected one is shown on the whole screen; leaving without a choice restores the previous one.
struct ThemeChooser: GlobalFeature {
    private let names: [String]
    private let before: String
    private var cursor: ListCursor
    var scroll = 0

    init(names: [String], shown: String) {
        self.names = names.contains(shown) ? names : [shown] + names
        before = shown
        cursor = ListCursor(self.names.firstIndex(of: shown) ?? 0)
    }

    static let binding = KeyBinding([.character("T")], .themes, "", "themes; try and keep one")

    static func opened(in context: Context) -> (ThemeChooser, [Action]) {
        (ThemeChooser(names: context.themes, shown: context.theme), [.showEntry])
    }

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .themes, "Themes",
                [KeyBinding([.enter], .open, "keep", "keep this theme")] + KeyBinding.scrolling + tools
                    + KeyBinding.closing)
        ]
    }

    var keyContext: KeyContext { .themes }
    var name: String { names[cursor.selected] }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        let shown = name
        switch event {
        case .command(.open, _): return [.close] + (name == before ? [] : [.perform(.keepTheme(name))])
        case .command(.back, _): return [.close] + (name == before ? [] : [.perform(.showTheme(before))])
        case .select(let place):
            guard names.indices.contains(place) else { return [] }
            cursor.select(place, count: names.count)
            return [.perform(.showTheme(name))]
        case .command(let command, _):
            cursor.move(command, count: names.count, page: names.count)
            return (name == shown ? [] : [.perform(.showTheme(name))]) + [.showEntry]
        default: return []
        }
    }

    // MARK: What it shows

    func page(in context: Context) -> Page {
        Page(title: "Themes", addText: addText, rowName: "theme", marked: .place(cursor.selected))
    }

    private func addText(to block: inout TextBlock) {
        block.menu(names.map { ($0, "") }, marked: cursor.selected)
        block.blank()
        block.row([
            TextSpan(" 59 min  ", .ok, sign: .full), TextSpan(" 4 min left  ", .attention, sign: .quarter),
            TextSpan(" needs sign-in", .danger, sign: .empty),
        ])
        block.row([
            TextSpan("muted  ", .muted), TextSpan("label  ", .label), TextSpan("link", .link), TextSpan("  "),
            TextSpan(" code ", .code),
        ])
    }
}
