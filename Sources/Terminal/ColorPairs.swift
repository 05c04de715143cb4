import CNcurses

/// A theme reduced to the terminal's colors. Color pairs are created on first use, as some terminals have only 64.
@MainActor
struct ColorPairs {
    struct Attributes: Equatable {
        let flags: UInt32
        let pair: Int32

        static let none = Attributes(flags: 0, pair: 0)
    }

    private struct Pair: Equatable {
        let foreground: Int32
        let background: Int32
    }

    private let theme: Theme
    private let depth: ColorDepth
    /// In creation order; the first is pair 1.
    private var pairs: [Pair] = []
    /// A list suffices: a screen has about twenty styles.
    private var known: [(style: Style, attributes: Attributes)] = []
    private let most: Int32

    /// - Parameter colors: the number of colors in ncurses; 0 uses attributes only.
    init(theme: Theme, colors: Int) {
        depth = ColorDepth(colors: colors)
        self.theme = depth == .none ? .monochrome : theme
        most = depth == .none ? 0 : foyer_pairs()
    }

    mutating func attributes(_ style: Style) -> Attributes {
        // A closure would check for each element that it runs on the main actor.
        for made in known where made.style == style { return made.attributes }
        let look = style.isSelected ? theme.selected(style.role, canFill: canFillSelection) : theme[style.role]
        let foreground = look.foreground.reduced(to: depth)
        let background = look.background.reduced(to: depth)
        var flags: UInt32 = 0
        if look.bold || style.bold || foreground.bold { flags |= UInt32(foyer_bold) }
        if look.underline { flags |= UInt32(foyer_underline) }
        if look.reverse != style.reverse { flags |= UInt32(foyer_reverse) }
        if look.dim { flags |= UInt32(foyer_dim) }
        let made = Attributes(flags: flags, pair: pair(foreground.number, background.number))
        known.append((style, made))
        return made
    }

    /// With fewer colors, the selection's background would differ from the theme or match the screen's.
    private var canFillSelection: Bool { depth == .palette || depth == .direct }

    /// Pair 0 is the terminal's default, also used when no pair is left.
    private mutating func pair(_ foreground: Int, _ background: Int) -> Int32 {
        guard let front = Int32(exactly: foreground), let back = Int32(exactly: background), front >= 0 || back >= 0
        else { return 0 }
        let wanted = Pair(foreground: front, background: back)
        if let made = pairs.firstIndex(of: wanted) { return Int32(made) + 1 }
        let next = Int32(pairs.count) + 1
        guard next < most, foyer_init_pair(next, front, back) else { return 0 }
        pairs.append(wanted)
        return next
    }
}
