import Keys

/// The settings as a list: their values, sources, and which can be changed here.
struct SettingsPage: ListPage {
    /// By index, as the list stays the same while the page is open.
    var chosen = ChosenRow<Int>()
    var scroll = 0

    static let binding = KeyBinding([.character(",")], .settings, "", "settings; their values and sources")
    static func opened(in context: Context) -> (SettingsPage, [Action]) { (SettingsPage(), []) }

    private static let changing = KeyBinding([.enter, .character(" ")], .open, "change", "change and save")
    static let keys = (
        list: KeyTable(
            .settings, "Settings",
            [changing, KeyBinding([.right, .character("l")], .details, "read", "show the full value"), .undoSetting]),
        row: KeyTable(.settingDetails, "One setting", [changing, .undoSetting])
    )

    func rowIDs(in context: Context) -> [Int] { Array(context.settings.indices) }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open, .details: marked(in: context) != nil
        case .undoSetting: !context.undoableSettings.isEmpty
        default: true
        }
    }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .open: marked(in: context).map { change($0, in: context) } ?? []
        case .details: performInList(.open, in: context)
        case .undoSetting: context.undoSetting
        default: performInList(command, in: context)
        }
    }

    private func marked(in context: Context) -> SettingLine? { marked(of: context.settings, in: context) }

    /// Changes a simple setting to its next value and saves it. Options and the environment take precedence over it.
    private func change(_ line: SettingLine, in context: Context) -> [Action] {
        if let refusal = refusal(line, in: context) { return [.notice(refusal)] }
        switch line.choice {
        case .byHand: return []
        case .theme: return [.openPage(.themes)]
        case .mouse: return [.perform(.mouse(!context.mouse)), .perform(.keepSetting("mouse", .flag(!context.mouse)))]
        case .oneOf(let values):
            guard !values.isEmpty else { return [] }
            return [.perform(.keepSetting(line.name, .text(values.next(after: line.value))))]
        }
    }

    /// Why it cannot be changed here; nil if it can.
    private func refusal(_ line: SettingLine, in context: Context) -> String? {
        switch line.source {
        case .option(let name), .environment(let name): "\(name) overrides the settings file"
        case .file, .standard:
            line.choice == .byHand
                ? "edit it by hand in \(context.settings.first?.value ?? "the settings file")" : nil
        }
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard let marked = marked(in: context) else { return [] }
        // The first line is the file itself.
        let isFile = selectedRow(in: context) == 0
        return [
            Copyable("value of \(marked.name)", isFile ? nil : marked.value),
            Copyable("path of the settings file", context.settings.first?.value), pageReport(in: context),
        ]
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        Page(
            title: "Settings", rule: { PageTitle(crumbs: ["Settings"], count: String(context.settings.count)) },
            addText: { addText(in: context, to: &$0) }, addWhole: { addWhole(in: context, to: &$0) },
            table: { table(in: context) }, rowName: "setting", marked: .place(chosen.id ?? 0),
            copyables: { copyables(in: context) })
    }

    private func table(in context: Context) -> ListTable {
        ListTable(
            ["setting", .flexible("value")], cause: "from",
            context.settings.map {
                ListTable.Row(Self.sign($0), [TextSpan($0.name), TextSpan($0.value)], cause: $0.source.name)
            })
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        guard let line = marked(in: context) else { return block.text("no settings", .muted) }
        block.text("\(line.name): \(line.value)", .emphasis)
        block.text(line.source.words, .muted)
        block.blank()
        block.text(advice(line, in: context), .muted)
    }

    private static func sign(_ line: SettingLine) -> (Sign, Tone) {
        (line.choice == .byHand ? .none : .bullet, .muted)
    }

    private func advice(_ line: SettingLine, in context: Context) -> String {
        refusal(line, in: context) ?? "\(context.name(of: .open, at: keyContext)): change"
    }

    private func addWhole(in context: Context, to block: inout TextBlock) {
        if context.settings.isEmpty { return block.text("no settings", .muted) }
        for (place, line) in context.settings.enumerated() {
            block.entry(place) { block in
                block.item(Self.sign(line), "\(line.name): \(line.value)")
                block.text(
                    line.source.words
                        + (line.choice == .byHand ? "" : "; \(context.name(of: .open, at: keyContext)): change"),
                    .muted, indent: 4)
            }
        }
    }
}

extension Context {
    /// Undoes the latest change.
    var undoSetting: [Action] { undoableSettings.last.map { [.perform(.undoSetting($0))] } ?? [] }
}

extension KeyBinding {
    static let undoSetting = KeyBinding(
        [.character("u")], .undoSetting, "undo", "undo; the rule or setting that was saved last")
}
