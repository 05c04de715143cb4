import Keys

struct CopyMenu: Feature {
    private struct Item: Equatable, Sendable {
        let name: String
        let content: Copyable.Content
    }

    private let items: [Item]
    private var cursor = ListCursor()
    var scroll = 0

    init(_ offered: [Copyable], in context: Context) {
        items = offered.compactMap { copyable in
            copyable.content().map { Item(name: copyable.name, content: $0) }
        }.filter { $0.content.isOffered(in: context) }
    }

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .copyMenu, "Copy",
                [KeyBinding([.enter, .character("y")], .open, "copy", "copy the selection")]
                    + KeyBinding.scrolling + KeyBinding.closing)
        ]
    }

    var keyContext: KeyContext { .copyMenu }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.open, _):
            guard items.indices.contains(cursor.selected) else { return [.close] }
            let item = items[cursor.selected]
            return [.close] + item.content.actions(item.name, in: context)
        case .command(.back, _): return [.close]
        case .select(let place):
            cursor.select(place, count: items.count)
            return []
        case .command(let command, _):
            cursor.move(command, count: items.count, page: items.count)
            return [.showEntry]
        default: return []
        }
    }

    func page(in context: Context) -> Page {
        Page(
            title: "Copy", addText: { $0.menu(items.map { ($0.name, "") }, marked: cursor.selected) },
            rowName: "entry", marked: .place(cursor.selected))
    }
}
