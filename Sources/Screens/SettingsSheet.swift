import Terminal

/// One setting as it is now, and who said so.
package struct SettingLine: Equatable, Sendable {
    /// Where a value comes from, in the order in which one is stronger than the next.
    package enum Source: Equatable, Sendable {
        case option(String)
        case environment(String)
        /// The settings file, and the line where it is known.
        case file(line: Int?)
        case standard
    }

    /// What can be done about it on the screen.
    package enum Choice: Equatable, Sendable {
        /// Written in the file by hand.
        case byHand
        case theme, mouse
        /// One of these.
        case oneOf([String])
    }

    package var name: String
    package var value: String
    package var source: Source
    package var choice: Choice

    package init(_ name: String, _ value: String, _ source: Source, choice: Choice = .byHand) {
        self.name = name
        self.value = value
        self.source = source
        self.choice = choice
    }
}

/// What is written into the settings file.
package enum SettingValue: Equatable, Sendable {
    case text(String)
    case flag(Bool)
}

/// What is set, by whom, and what of it can be changed here.
struct SettingsSheet: Equatable, Sendable {
    var selected = 0
    var scroll = 0
}

extension State {
    mutating func perform(_ command: Command, _ given: SettingsSheet) -> [Effect] {
        var sheet = given
        let last = max(0, settings.count - 1)
        switch command {
        case .open: return change(settings.indices.contains(given.selected) ? settings[given.selected] : nil)
        case .up: sheet.selected -= 1
        case .down: sheet.selected += 1
        case .pageUp, .first: sheet.selected = 0
        case .pageDown, .last: sheet.selected = last
        default: return []
        }
        sheet.selected = min(max(sheet.selected, 0), last)
        replaceTop(.settings(sheet))
        keepSettingSeen()
        return []
    }

    /// Simple settings go to the next value, and are written into the file; what an option or the environment says is
    /// stronger than the file.
    private mutating func change(_ line: SettingLine?) -> [Effect] {
        guard let line else { return [] }
        switch line.source {
        case .option(let name), .environment(let name):
            notice = "\(name) says so, which is stronger than the settings file"
            return []
        case .file, .standard: break
        }
        switch line.choice {
        case .byHand:
            notice = "this is written by hand: \(settingsPath)"
            return []
        case .theme:
            openThemes()
            return []
        case .mouse:
            mouse.toggle()
            return [.mouse(mouse), .keepSetting("mouse", .flag(mouse))]
        case .oneOf(let values):
            guard !values.isEmpty else { return [] }
            let next = values[(values.firstIndex(of: line.value).map { $0 + 1 } ?? 0) % values.count]
            return [.keepSetting(line.name, .text(next))]
        }
    }

    private var settingsPath: String { settings.first?.value ?? "the settings file" }

    /// The row that is marked stays within what is drawn.
    private mutating func keepSettingSeen() {
        guard case .settings(var sheet) = top else { return }
        let area = page(of: .settings(sheet), in: Self.body(of: size), glyphs: .utf8).area
        let row = rowOfSetting(sheet.selected, width: area.columns)
        sheet.scroll = min(max(sheet.scroll, row - area.rows + 2), row)
        replaceTop(.settings(sheet))
    }

    func rowOfSetting(_ index: Int, width: Int) -> Int {
        var sheet = Sheet(width: width, glyphs: .utf8)
        for (place, line) in settings.enumerated().prefix(index) { add(line, isSelected: place == index, to: &sheet) }
        return sheet.rows.count
    }

    /// The setting that a row of the text belongs to.
    func setting(inRow row: Int, of screen: Screen) -> Int? {
        let width = page(of: screen, in: Self.body(of: size), glyphs: .utf8).area.columns
        return settings.indices.last { rowOfSetting($0, width: width) <= row }
    }

    func sheet(_ screen: SettingsSheet, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        for (place, line) in settings.enumerated() { add(line, isSelected: place == screen.selected, to: &sheet) }
        if settings.isEmpty { sheet.text("nothing is known of the settings", .muted) }
        return sheet
    }

    private func add(_ line: SettingLine, isSelected: Bool, to sheet: inout Sheet) {
        let mark = isSelected ? sheet.glyphs.pointer : line.choice == .byHand ? " " : sheet.glyphs.bullet
        sheet.item(
            mark, isSelected ? .selection : .muted, "\(line.name): \(line.value)", isSelected ? .selection : .text)
        sheet.text(line.source.words + (line.choice == .byHand ? "" : "; Enter changes it"), .muted, indent: 4)
    }
}

extension SettingLine.Source {
    fileprivate var words: String {
        switch self {
        case .option(let name): "from the option \(name)"
        case .environment(let name): "from the environment, \(name)"
        case .file(let line): "from the settings file" + (line.map { ", line \($0)" } ?? "")
        case .standard: "as it is without a setting"
        }
    }
}
