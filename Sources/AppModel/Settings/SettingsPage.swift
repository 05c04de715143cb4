import Keys

/// The settings, where each comes from, and which can be changed here.
package struct SettingsPage: Page {
    private var cursor = ListCursor()
    package var scroll = 0

    package static let binding = KeyBinding([.character(",")], .settings, "", "settings and where they come from")
    package static func opened(in context: Context) -> (SettingsPage, [Action]) { (SettingsPage(), []) }

    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .settings, "Settings",
                [
                    KeyBinding(
                        [.enter, .character(" ")], .open, "change",
                        "change the setting and write it into the settings file")
                ]
                    + KeyBinding.scrolling + tools + KeyBinding.closing + KeyBinding.everywhere)
        ]
    }

    package var keyContext: KeyContext { .settings }
    package var rowName: String { "setting" }
    package var entry: Int? { cursor.selected }
    package var searchScope: SearchScope { .nothing }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        let count = context.settings.count
        switch event {
        case .select(let place): cursor.select(place, count: count)
        case .command(.open, _):
            return context.settings.indices.contains(cursor.selected)
                ? change(context.settings[cursor.selected], in: context) : []
        case .command(.back, _): return [.close]
        case .command(let command, _):
            cursor.move(command, count: count, page: count)
            return [.showEntry]
        default: break
        }
        return []
    }

    /// Simple settings go to the next value, and are written into the file; what an option or the environment says is
    /// stronger than the file.
    private func change(_ line: SettingLine, in context: Context) -> [Action] {
        switch line.source {
        case .option(let name), .environment(let name):
            return [.notice("\(name) overrides the settings file")]
        case .file, .standard: break
        }
        switch line.choice {
        case .byHand:
            return [.notice("edit it by hand in \(context.settings.first?.value ?? "the settings file")")]
        case .theme: return [.openPage(.themes)]
        case .mouse: return [.perform(.mouse(!context.mouse)), .perform(.keepSetting("mouse", .flag(!context.mouse)))]
        case .oneOf(let values):
            guard !values.isEmpty else { return [] }
            let next = values[(values.firstIndex(of: line.value).map { $0 + 1 } ?? 0) % values.count]
            return [.perform(.keepSetting(line.name, .text(next)))]
        }
    }

    // MARK: What it shows

    package func title(in context: Context) -> String { "Settings" }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        for (place, line) in context.settings.enumerated() {
            let isSelected = place == cursor.selected
            block.entry(place) { block in
                let sign: Sign = isSelected ? .pointer : line.choice == .byHand ? .none : .bullet
                block.item(
                    sign, isSelected ? .selection : .muted, "\(line.name): \(line.value)",
                    isSelected ? .selection : .text)
                block.text(
                    line.source.words
                        + (line.choice == .byHand ? "" : "; \(context.name(of: .open, at: keyContext)) changes it"),
                    .muted, indent: 4)
            }
        }
        if context.settings.isEmpty { block.text("no settings", .muted) }
        return block
    }
}
