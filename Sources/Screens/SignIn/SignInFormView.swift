import AppModel
import Keys
import Terminal

/// The sign-in form: a row for each field, and notes below.
struct SignInFormView: FeatureView {
    let form: SignInForm
    let page: Page
    let context: Context

    var isActivatedByDoubleClick: Bool { false }

    static func firstRow(of size: Size) -> Int {
        let body = ScreenArea.body(of: size)
        return body.row + (body.rows >= 14 ? 1 : 0)
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: ScreenArea.body(of: size))
    }

    func target(at place: Position, size: Size) -> Int? {
        let index = place.row - Self.firstRow(of: size)
        return SignInForm.Field.allCases.indices.contains(index) ? index : nil
    }

    func draw(on grid: inout Grid) {
        let body = ScreenArea.body(of: grid.size)
        let roomy = body.rows >= 14
        var row = Self.firstRow(of: grid.size)
        let labelWidth = 13
        for field in SignInForm.Field.allCases {
            let isFocused = form.focus == field
            if isFocused {
                grid.put(grid.glyphs.pointer, at: Position(row: row, column: 0), style: .role(.emphasis), width: 1)
            }
            grid.put(field.label, at: Position(row: row, column: 2), style: .role(.label), width: labelWidth - 1)
            let place = Position(row: row, column: labelWidth + 2)
            let width = min(76, body.columns - place.column - 1)
            if let (text, note) = form.choice(of: field, in: context) {
                let style: Style = isFocused ? .role(.selection) : .role(.input)
                let arrows = "\(grid.glyphs.arrowLeft) \(text) \(grid.glyphs.arrowRight)"
                let used = grid.put(arrows, at: place, style: style, width: width)
                grid.put(
                    note, at: Position(row: row, column: place.column + used + 1), style: .role(.muted),
                    width: max(0, width - used - 1))
                if isFocused { grid.cursor = place }
            } else if let text = form.textField(field) {
                let cursor = grid.draw(
                    text, at: place, width: width, placeholder: form.placeholder(of: field, in: context),
                    isFocused: isFocused)
                if isFocused { grid.cursor = cursor }
            }
            row += 1
        }
        if roomy { row += 1 }
        let area = Rect(row: row, column: 2, rows: body.endRow - row, columns: min(90, body.columns - 4))
        grid.draw(TextRows(page.text, width: area.columns, glyphs: grid.glyphs), in: area, scroll: 0)
    }
}
