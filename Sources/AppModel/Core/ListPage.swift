import Keys

/// A page of rows, of which the marked one is read in the place of the list.
package protocol ListPage: Page {
    associatedtype RowID: Hashable & Sendable

    /// Where the keys of the list go, and those of a row that is read.
    static var listContext: KeyContext { get }
    static var rowContext: KeyContext { get }

    var chosen: ChosenRow<RowID> { get set }
    /// What the rows are known by, in their order.
    func rowIDs(in context: Context) -> [RowID]
    /// Takes what no command is.
    mutating func receive(_ event: Event, in context: Context) -> [Action]
    mutating func perform(_ command: Command, in context: Context) -> [Action]
}

extension ListPage {
    package var keyContext: KeyContext { chosen.isReading ? Self.rowContext : Self.listContext }
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
