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
    func isBeside(_ feature: any Feature) -> Bool { Views.of(feature).isBesideList(on: size) }
    let ground = features.lastIndex { !Views.of($0).isOverlay && !isBeside($0) } ?? 0
    let page = features.indices.contains(ground + 1) && isBeside(features[ground + 1]) ? ground + 1 : ground
    let offered = state.offered
    grid.drawFrame(of: features[ground], isReading: page > ground, state, offered)
    for (place, feature) in features.enumerated() where place >= ground {
        if place > page {
            grid.forgetKeys()
            if place == page + 1 { grid.recede() }
        }
        Views.of(feature).draw(in: state.context, on: &grid)
        if let prompt = feature.prompt { grid.draw(prompt) }
    }
    grid.drawFooter(offered)
    if let search = state.activeSearch { grid.draw(search, of: state) }
    if let notice = state.notice { grid.drawNotice(notice) }
    return grid
}

extension Grid {
    fileprivate mutating func drawFrame(
        of feature: any Feature, isReading: Bool, _ state: AppState, _ offered: [KeyBinding]
    ) {
        let title = feature.pageTitle(in: state.context)
        drawHeader(state, title, offered)
        drawRule(
            title, divider: Views.of(feature).divider(in: state.context, size: size),
            isReading: isReading || feature.isReadingRow)
    }
}

extension Face {
    /// The visible extents on a screen of this size.
    package static func screen(_ size: Size) -> Face {
        Face(
            list: { Views.of($0).extent(in: $1, size: size) },
            text: { feature, context in
                let layout = Views.of(feature).layout(in: context, size: size, glyphs: .utf8)
                return TextExtent(
                    rows: layout.text.rows.map { $0.map(\.text).joined() }, seen: layout.area.rows,
                    entries: layout.text.entries)
            })
    }
}
