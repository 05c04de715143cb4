import AppModel
import Keys
import Terminal

/// The sign-in form: a row for each field, one below the authority for the provider's methods, and notes. The effects
/// of the sign-in are on the right, or below if there is no room.
struct SignInFormView: FeatureView {
    let form: SignInForm
    let page: Page
    let context: Context

    private static let labelColumn = 2
    private static let valueColumn = 15
    /// The fewest rows that say something about the sign-in, with the rule above.
    private static let fewestRows = 4

    private struct Layout {
        var fields: Rect
        /// Right of the fields.
        var right: Rect?
        /// Whether there is room for empty rows.
        var isRoomy: Bool

        init(_ size: Size) {
            fields = ScreenArea.body(of: size)
            isRoomy = fields.rows >= 14
            guard ScreenArea.isWide(size) else { return }
            let parts = fields.splitRight(min(76, size.columns * 43 / 100))
            (fields, right) = (parts.rest, parts.right)
        }

        func row(of field: SignInForm.Field) -> Int {
            let row = fields.row + field.rawValue
            return isRoomy ? row + (field == .authority ? 1 : 2) : row
        }

        func notes(below last: SignInForm.Field) -> Rect {
            let row = row(of: last) + (isRoomy ? 2 : 1)
            return Rect(
                row: row, column: SignInFormView.labelColumn, rows: max(0, fields.endRow - row),
                columns: min(90, fields.columns - 4))
        }
    }

    var isActivatedByDoubleClick: Bool { false }

    static func row(of field: SignInForm.Field, size: Size) -> Int { Layout(size).row(of: field) }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: ScreenArea.body(of: size))
    }

    func divider(size: Size) -> Int? { Layout(size).right?.column }

    func target(at place: Position, size: Size) -> Int? {
        let layout = Layout(size)
        guard place.column < layout.fields.endColumn else { return nil }
        return form.shownFields(in: context).first { layout.row(of: $0) == place.row }?.rawValue
    }

    func draw(on grid: inout Grid) {
        let layout = Layout(grid.size)
        let shown = form.shownFields(in: context)
        for field in shown {
            let columns = min(92, layout.fields.columns)
            draw(field, in: Rect(row: layout.row(of: field), column: 0, rows: 1, columns: columns), on: &grid)
        }
        let area = layout.notes(below: shown.last ?? .method)
        let provider = TextRows(form.providerText(in: context), width: area.columns, glyphs: grid.glyphs)
        var notes = TextRows(form.notes, width: area.columns, glyphs: grid.glyphs)
        if layout.isRoomy {
            let width = area.columns - Self.valueColumn + Self.labelColumn
            let row = layout.row(of: .authority) + 1
            grid.draw(provider, in: Rect(row: row, column: Self.valueColumn, rows: 1, columns: width), scroll: 0)
        } else if !provider.rows.isEmpty, form.complaint == nil {
            notes = provider
        }
        guard let right = layout.right else { return drawBelow(notes, in: area, on: &grid) }
        grid.draw(notes, in: area, scroll: 0)
        let text = Rect(row: right.row, column: right.column + 2, rows: right.rows, columns: right.columns - 3)
        draw(in: text, on: &grid)
    }

    private func drawBelow(_ notes: TextRows, in area: Rect, on grid: inout Grid) {
        // Always room for two rows, so that the rule stays while the focus moves.
        let parts = area.splitTop(max(2, notes.rows.count))
        guard parts.rest.rows >= Self.fewestRows else { return grid.draw(notes, in: area, scroll: 0) }
        grid.draw(notes, in: parts.top, scroll: 0)
        let below = parts.rest.splitTop(1)
        grid.hline(at: Position(row: below.top.row, column: 0), length: grid.size.columns)
        grid.put(
            " \(page.pageTitle.aside) ", at: Position(row: below.top.row, column: 1),
            style: Style(role: .emphasis, bold: true))
        draw(in: below.rest, on: &grid)
    }

    private func draw(in area: Rect, on grid: inout Grid) {
        let text = TextRows(
            form.consequences(in: context), width: area.columns, room: area.rows, glyphs: grid.glyphs)
        grid.draw(text, in: area, scroll: 0)
    }

    /// Labels are dim, values bright, and a field that is not set says so. The focused one has a bar, as rows of lists.
    private func draw(_ field: SignInForm.Field, in area: Rect, on grid: inout Grid) {
        let isFocused = form.focus == field
        let style = grid.ground(isFocused, at: area.origin, width: area.columns)
        let fold = form.isFolded && field.isInFold ? form.wordsOfFold(in: context) : nil
        grid.put(
            fold?.label ?? field.label, at: area.at(row: 0, column: Self.labelColumn), style: style(.label),
            width: Self.valueColumn - Self.labelColumn - 1)
        let place = area.at(row: 0, column: Self.valueColumn)
        let width = area.columns - Self.valueColumn - 1
        let value = style(form.isSet(field) ? .emphasis : .placeholder)
        if let fold {
            grid.put(fold.fields, at: place, style: style(.placeholder), width: width)
        } else if let (text, note) = form.choice(of: field, in: context) {
            var used = grid.put(text, at: place, style: value, width: width)
            if isFocused {
                grid.put(grid.glyphs.arrowLeft, at: place.moved(-2), style: style(.key), width: 1)
                used += 1 + grid.put(grid.glyphs.arrowRight, at: place.moved(used + 1), style: style(.key), width: 1)
                grid.cursor = place
            }
            grid.put(note, at: place.moved(used + 2), style: style(.muted), width: max(0, width - used - 2))
        } else if let text = form.textField(field) {
            let placeholder = form.placeholder(of: field, in: context)
            if isFocused {
                grid.cursor = grid.draw(text, at: place, width: width, placeholder: placeholder, isFocused: true)
            } else {
                grid.put(text.isEmpty ? placeholder : text.text, at: place, style: value, width: width)
            }
        }
    }
}
