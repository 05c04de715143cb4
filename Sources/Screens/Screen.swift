package import AppModel
import Keys
package import Terminal

/// The whole screen for a state: the topmost feature that fills it, and those above.
package func view(_ state: AppState, size: Size, glyphs: Glyphs) -> Grid {
    var grid = Grid(size: size, glyphs: glyphs)
    guard !ScreenArea.isTooSmall(size) else {
        grid.drawTooSmall()
        return grid
    }
    let features: [any Feature] = [state.home] + state.stack
    let pages = features.map { $0.page(in: state.context) }
    let views = zip(features, pages).map { Views.of($0, $1, state.context) }
    let ground = views.lastIndex { !$0.isOverlay && !$0.isBesideList(on: size) } ?? 0
    let page = views.indices.contains(ground + 1) && views[ground + 1].isBesideList(on: size) ? ground + 1 : ground
    let offered = state.offered
    let title = pages[ground].pageTitle
    grid.drawHeader(state, title, offered)
    grid.drawRule(
        title, divider: views[ground].divider(size: size),
        isReading: page > ground || pages[ground].isReadingRow, offered)
    for (place, view) in views.enumerated() where place >= ground {
        if place > page {
            grid.forgetKeys()
            if place == page + 1 { grid.recede() }
        }
        view.draw(on: &grid)
        if let prompt = pages[place].prompt { grid.draw(prompt) }
    }
    grid.drawFooter(offered)
    if let search = state.activeSearch { grid.draw(search, of: state) }
    if let notice = state.notice { grid.drawNotice(notice) }
    return grid
}

extension Face {
    /// The visible extents on a screen of this size.
    package static func screen(_ size: Size) -> Face {
        Face(
            list: { Views.of($0, in: $1).extent(size: size) },
            text: { feature, context in
                let layout = Views.of(feature, in: context).layout(size: size, glyphs: .utf8)
                return TextExtent(
                    rows: layout.text.rows.map { $0.map(\.text).joined() }, seen: layout.area.rows,
                    entries: layout.text.entries)
            })
    }
}
