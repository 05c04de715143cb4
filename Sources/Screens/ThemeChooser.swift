import Terminal

/// The themes, each shown on the whole screen as soon as it is marked; leaving without a choice brings back what was
/// there.
struct ThemeChooser: Equatable, Sendable {
    let names: [String]
    let before: String
    private(set) var selected: Int
    var scroll = 0

    init(names: [String], shown: String) {
        self.names = names.contains(shown) ? names : [shown] + names
        before = shown
        selected = self.names.firstIndex(of: shown) ?? 0
    }

    var name: String { names[selected] }

    mutating func choose(_ index: Int) { selected = min(max(index, 0), names.count - 1) }

    mutating func move(_ command: Command) {
        switch command {
        case .up: selected -= 1
        case .down: selected += 1
        case .first, .pageUp: selected = 0
        case .last, .pageDown: selected = names.count - 1
        default: break
        }
        selected = min(max(selected, 0), names.count - 1)
    }

    func sheet(width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        for (index, name) in names.enumerated() {
            let isSelected = index == selected
            let pointer = (isSelected ? glyphs.pointer : " ") + " "
            let label = DisplayWidth.pad(
                SafeText.line(name, glyphs: glyphs, limit: 64), columns: max(1, min(30, width - 2)))
            sheet.row([Span(pointer, isSelected ? .selection : .text), Span(label, isSelected ? .selection : .text)])
        }
        sheet.blank()
        sheet.row([
            Span(glyphs.full + " valid  ", .ok), Span(glyphs.half + " refreshable  ", .attention),
            Span(glyphs.empty + " sign-in needed", .danger),
        ])
        sheet.row([
            Span("muted  ", .muted), Span("label  ", .label), Span("link", .link), Span("  "), Span(" code ", .code),
        ])
        return sheet
    }
}

extension State {
    mutating func openThemes() { stack.append(.themes(ThemeChooser(names: context.themes, shown: theme))) }

    mutating func perform(_ command: Command, _ given: ThemeChooser) -> [Effect] {
        var chooser = given
        if command == .open {
            stack.removeLast()
            theme = chooser.name
            return chooser.name == chooser.before ? [] : [.keepTheme(chooser.name)]
        }
        chooser.move(command)
        replaceTop(.themes(chooser))
        return chooser.name == given.name ? [] : [.showTheme(chooser.name)]
    }
}
