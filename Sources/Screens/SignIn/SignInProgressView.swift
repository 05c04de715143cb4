import AppModel
import Identity
import Keys
import Terminal

/// A sign-in: its text, and the QR code of its URL on the right or below.
struct SignInProgressView: FeatureView {
    let progress: SignInProgress
    let page: Page

    private func inner(of size: Size) -> Rect { ScreenArea.body(of: size).inset(rows: 0, columns: 1) }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let inner = inner(of: size)
        var area = progress.prompt == nil && progress.question == nil ? inner : inner.splitBottom(1).rest
        let beside = qrCode(in: inner, glyphs: glyphs).map { inner.columns - $0.size.columns - 1 } ?? 0
        if beside >= 60 { area = area.splitLeft(beside).left }
        let text = TextRows(page.text, width: area.columns, room: area.rows, glyphs: glyphs)
        return PageLayout(text: text, area: area)
    }

    func target(at place: Position, size: Size) -> Int? {
        entry(of: page, scroll: progress.scroll, at: place, size: size)
    }

    func draw(on grid: inout Grid) {
        guard !progress.showsQRCode else { return drawLargeQR(on: &grid) }
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        grid.draw(layout.text, in: layout.area, scroll: progress.scroll)
        grid.cursor = layout.cursor(at: page.entry, scroll: progress.scroll)
        drawQR(beside: layout, inner(of: grid.size), on: &grid)
    }

    /// Draws only the QR code, centered; if it does not fit, the size it needs.
    private func drawLargeQR(on grid: inout Grid) {
        let body = ScreenArea.body(of: grid.size)
        guard let address = progress.address, let code = QRCode(address.text) else { return }
        let size = code.size(grid.glyphs)
        grid.cursor = body.origin
        guard size.rows <= body.rows, size.columns <= body.columns else {
            let room = "there is room for \(body.columns)x\(body.rows)"
            let words = "the QR code needs \(size.columns)x\(size.rows); \(room)"
            grid.put(words, at: body.at(row: 0, column: 1), style: .role(.attention))
            return
        }
        _ = code.draw(in: &grid, rect: body.centered(rows: size.rows, columns: size.columns))
    }

    /// The QR code on the right, if the device code still fits next to it.
    private func qrCode(in inner: Rect, glyphs: Glyphs) -> (code: QRCode, size: Size)? {
        guard progress.hasCode, let address = progress.address, let code = QRCode(address.text) else { return nil }
        let size = code.size(glyphs)
        return size.rows <= inner.rows && size.columns < inner.columns ? (code, size) : nil
    }

    private func drawQR(beside page: PageLayout, _ inner: Rect, on grid: inout Grid) {
        guard let (code, size) = qrCode(in: inner, glyphs: grid.glyphs) else { return }
        if page.area.columns < inner.columns {
            // To the edge of the screen, because the code has its own margin.
            let right = ScreenArea.body(of: grid.size).splitRight(size.columns).right
            _ = code.draw(in: &grid, rect: right)
        } else if progress.prompt == nil, inner.rows - page.text.rows.count > size.rows {
            let below = inner.splitTop(page.text.rows.count + 1).rest
            _ = code.draw(in: &grid, rect: below)
        }
    }
}
