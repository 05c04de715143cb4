import Keys

/// A page of rows, of which the marked one is read in the place of the list.
package protocol ListPage: Page {
    associatedtype RowID: Hashable & Sendable

    /// The keys of the list and those while a row is read, without the ones that every list has.
    static var keys: (list: KeyTable, row: KeyTable) { get }

    var chosen: ChosenRow<RowID> { get set }
    /// What the rows are known by, in their order.
    func rowIDs(in context: Context) -> [RowID]
    /// Takes what no command is.
    mutating func receive(_ event: Event, in context: Context) -> [Action]
    mutating func perform(_ command: Command, in context: Context) -> [Action]
}

extension ListPage {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        let rest = KeyBinding.reading(tools) + KeyBinding.closing + KeyBinding.everywhere
        return [keys.list, keys.row].map { KeyTable($0.context, $0.title, $0.bindings + rest) }
    }

    package var keyContext: KeyContext { (chosen.isReading ? Self.keys.row : Self.keys.list).context }
    package var searchScope: SearchScope { chosen.isReading ? .text : .rows }
    package var isList: Bool { true }
    package var isReadingRow: Bool { chosen.isReading }
    package func selectedRow(in context: Context) -> Int { chosen.place(in: rowIDs(in: context)) }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .select(let row): chosen.select(row, in: rowIDs(in: context))
        case .command(let command, _): return perform(command, in: context)
        default: return receive(event, in: context)
        }
        return []
    }

    package mutating func receive(_ event: Event, in context: Context) -> [Action] { [] }

    package mutating func perform(_ command: Command, in context: Context) -> [Action] {
        performInList(command, in: context)
    }

    /// Opens and closes the marked row, moves the mark, scrolls what is read.
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

    /// The marked one of the rows.
    func marked<Row>(of rows: [Row], in context: Context) -> Row? {
        let place = selectedRow(in: context)
        return rows.indices.contains(place) ? rows[place] : nil
    }
}

extension KeyBinding {
    /// Reads the marked row.
    static func opening(_ label: String, _ help: String) -> KeyBinding {
        KeyBinding([.enter, .right, .character("l")], .open, label, help)
    }
}
