import Keys

/// A page of rows. The selected row's details replace the list when opened.
protocol ListPage: GlobalFeature {
    associatedtype RowID: Hashable & Sendable

    /// The keys of the list and of a row's details, without those that every list has.
    static var keys: (list: KeyTable, row: KeyTable) { get }
    /// Whether the list is filtered by typing, and not searched.
    static var hasFilter: Bool { get }
    /// More keys of both, for every page of a kind.
    static var keysOfKind: [KeyBinding] { get }

    var chosen: ChosenRow<RowID> { get set }
    func rowIDs(in context: Context) -> [RowID]
    func selectedRow(in context: Context) -> Int
    /// Selects an entry of the open row's text.
    ///
    /// - Returns: false if it has none, so a row is selected.
    mutating func selectEntry(_ place: Int, in context: Context) -> Bool
    /// The page without the state of its list.
    func content(in context: Context) -> Page
    /// Handles events other than commands.
    mutating func receive(_ event: Event, in context: Context) -> [Action]
    mutating func perform(_ command: Command, in context: Context) -> [Action]
}

extension ListPage {
    static var keysOfKind: [KeyBinding] { [] }
    static var hasFilter: Bool { false }

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        let reading = KeyBinding.reading(tools)
        let inList = hasFilter ? KeyBinding.filtering(tools) : reading
        return [(keys.list, inList), (keys.row, reading)].map { table, rest in
            KeyTable(table.context, table.title, table.bindings + keysOfKind + rest + KeyBinding.closing)
        }
    }

    var keyContext: KeyContext { (chosen.isReading ? Self.keys.row : Self.keys.list).context }
    func selectedRow(in context: Context) -> Int { chosen.place(in: rowIDs(in: context)) }

    func page(in context: Context) -> Page {
        var page = content(in: context)
        (page.isList, page.isReadingRow, page.selectedRow) = (true, chosen.isReading, selectedRow(in: context))
        return page
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .select(let row):
            if !selectEntry(row, in: context) { chosen.select(row, in: rowIDs(in: context)) }
        case .command(.edit, let key): return receive(.text(key), in: context)
        case .command(let command, _): return perform(command, in: context)
        default: return receive(event, in: context)
        }
        return []
    }

    mutating func hold(in context: Context) {
        let rows = rowIDs(in: context)
        chosen.hold(selectedRow(in: context), in: rows)
    }

    mutating func selectEntry(_ place: Int, in context: Context) -> Bool { false }

    mutating func receive(_ event: Event, in context: Context) -> [Action] { [] }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        performInList(command, in: context)
    }

    /// Opens and closes the selected row, moves the selection, and scrolls the details.
    mutating func performInList(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .open:
            chosen.isReading = true
            scroll = 0
        case .back where chosen.isReading: chosen.isReading = false
        case .back: return [.close]
        case _ where chosen.isReading: return [.scroll(command)]
        default:
            let rows = rowIDs(in: context)
            chosen.select(selectedRow(in: context), in: rows)
            chosen.move(command, in: rows, page: max(1, context.list.rows - 2))
            scroll = 0
        }
        return []
    }

    func marked<Row>(of rows: [Row], in context: Context) -> Row? {
        let place = selectedRow(in: context)
        return rows.indices.contains(place) ? rows[place] : nil
    }
}

extension KeyBinding {
    static func opening(_ label: String, _ help: String) -> KeyBinding {
        KeyBinding([.enter, .right, .character("l")], .open, label, help)
    }
}
