import AppModel
import Keys
import Terminal

/// The sign-in form: a row for each field, one below the authority for what the provider supports, and notes below.
struct SignInFormView: FeatureView {
    let form: SignInForm
    let page: Page
    let context: Context

    private static let labelColumn = 2
    private static let valueColumn = 15

    var isActivatedByDoubleClick: Bool { false }

    /// Whether there is room for empty rows.
    private static func isRoomy(_ size: Size) -> Bool { ScreenArea.body(of: size).rows >= 14 }

    static func row(of field: SignInForm.Field, size: Size) -> Int {
        let row = ScreenArea.body(of: size).row + field.rawValue
        return isRoomy(size) ? row + (field == .authority ? 1 : 2) : row
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: ScreenArea.body(of: size))
    }

    func target(at place: Position, size: Size) -> Int? {
        SignInForm.Field.allCases.first { Self.row(of: $0, size: size) == place.row }?.rawValue
    }

    func draw(on grid: inout Grid) {
        let body = ScreenArea.body(of: grid.size)
        var row = body.row
        for field in SignInForm.Field.allCases {
            row = Self.row(of: field, size: grid.size)
            draw(field, in: Rect(row: row, column: 0, rows: 1, columns: min(92, body.columns)), on: &grid)
        }
        row += Self.isRoomy(grid.size) ? 2 : 1
        let area = Rect(
            row: row, column: Self.labelColumn, rows: body.endRow - row, columns: min(90, body.columns - 4))
        let provider = TextRows(form.providerText(in: context), width: area.columns, glyphs: grid.glyphs)
        let notes = TextRows(form.notes, width: area.columns, glyphs: grid.glyphs)
        if Self.isRoomy(grid.size) {
            let row = Self.row(of: .authority, size: grid.size) + 1
            let width = area.columns - Self.valueColumn
            grid.draw(provider, in: Rect(row: row, column: Self.valueColumn, rows: 1, columns: width), scroll: 0)
            grid.draw(notes, in: area, scroll: 0)
        } else {
            // A complaint is more urgent.
            grid.draw(provider.rows.isEmpty || form.complaint != nil ? notes : provider, in: area, scroll: 0)
        }
    }

    /// Labels are dim, values bright, and a field that is not set says so. The focused one has a bar, as rows of lists.
    private func draw(_ field: SignInForm.Field, in area: Rect, on grid: inout Grid) {
        let isFocused = form.focus == field
        let style = grid.ground(isFocused, at: area.origin, width: area.columns)
        grid.put(
            field.label, at: area.at(row: 0, column: Self.labelColumn), style: style(.label),
            width: Self.valueColumn - Self.labelColumn - 1)
        let place = area.at(row: 0, column: Self.valueColumn)
        let width = area.columns - Self.valueColumn - 1
        let value = style(form.isSet(field) ? .emphasis : .placeholder)
        if let (text, note) = form.choice(of: field, in: context) {
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
