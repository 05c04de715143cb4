package import Terminal

/// What a key can ask for. One name serves every screen where it means the same.
package enum Command: String, CaseIterable, Sendable {
    case up, down, pageUp, pageDown, halfUp, halfDown, first, last
    case search, searchNext, searchPrevious, keepSearch, clearSearch, palette, toggleMouse
    case open, back, quit, help, redraw, suspend, reload
    case signIn, inspect, scopes, remove, signOut, cycleClient, cycleSorting, themes, doctor, activity, settings, renew,
        verify, reveal,
        copySecret
    case filter, keepFilter, clearFilter, edit
    case stores, allowWriting, showInPicker
    case cycleGrouping, mark, markRange, unmark
    case nextField, previousField, start
    case switchMethod, askConsent, copy, openBrowser, paste
    case choose, ask, compare, more, typeScope, nextView, difference, export, copyClaims, pasteToken
    case moveButton, yes, no, toggleWipe, toggleAccessTokens, toggleSession
}

/// A row of a key table: dispatch, footer and help are all read from it.
package struct KeyBinding: Sendable {
    package let keys: [Key]
    package let command: Command
    /// What the footer says; empty keeps it out of the footer.
    package let label: String
    package let help: String
    let isValid: @Sendable (State) -> Bool

    init(
        _ keys: [Key], _ command: Command, _ label: String, _ help: String,
        when isValid: @escaping @Sendable (State) -> Bool = { _ in true }
    ) {
        self.keys = keys
        self.command = command
        self.label = label
        self.help = help
        self.isValid = isValid
    }

    func with(keys: [Key]) -> KeyBinding { KeyBinding(keys, command, label, help, when: isValid) }

    func keyNames(_ glyphs: Glyphs) -> String { keys.map { $0.name(glyphs) }.joined(separator: " ") }
}

/// The keys of one place, in the order of the footer.
package struct KeyTable: Sendable {
    /// Where a key can be pressed.
    package enum Place: String, CaseIterable, Sendable {
        case picker, filter, form, progress, paste, question, inspector, tokenDetails, scopes, acquisition, dialog,
            departure, help, themes,
            doctor,
            activity, activityDetails, settings, stores, storeDetails, palette, search, line
    }

    package let place: Place
    package let title: String
    package let bindings: [KeyBinding]

    /// The binding of a key that is valid now.
    func binding(for key: Key, in state: State) -> KeyBinding? {
        bindings.first { $0.keys.contains(key) && $0.isValid(state) }
    }

    var takesText: Bool { bindings.contains { $0.command == .edit } }

    /// What the footer offers now: key and label.
    func footer(for state: State, glyphs: Glyphs) -> [(key: String, label: String)] {
        bindings.filter { !$0.label.isEmpty && $0.isValid(state) }.map { ($0.keys.first?.name(glyphs) ?? "", $0.label) }
    }

    /// The table as the person has changed it.
    static func of(_ place: Place, _ changes: KeyChanges) -> KeyTable { changes.applied(to: of(place)) }

    /// A binding as a row of a manual.
    private struct Row: Hashable {
        let keys: String
        let command: String
        let help: String

        init(_ binding: KeyBinding) {
            keys = binding.keys.map { "`\($0.name == "`" || $0.name == "|" ? "\\" + $0.name : $0.name)`" }.joined(
                separator: " ")
            command = binding.command.rawValue
            help = binding.help
        }
    }

    /// In how many places a row stands before it is told once for all of them.
    private static let common = 3

    /// Every table, for a manual: a heading and its own keys for each place, and last what is the same in most of them.
    package static var markdown: String {
        let tables = Place.allCases.map { of($0) }
        var places: [Row: Int] = [:]
        for row in tables.flatMap({ Set($0.bindings.map(Row.init)) }) { places[row, default: 0] += 1 }
        var shared: [Row] = []
        var parts: [String] = []
        for table in tables {
            let rows = table.bindings.map(Row.init)
            shared += rows.filter { places[$0, default: 0] >= common && !shared.contains($0) }
            let own = rows.filter { places[$0, default: 0] < common }
            guard !own.isEmpty else { continue }
            parts.append(
                "### \(table.title)\n\nIn the settings file: `[keys.\(table.place.rawValue)]`.\n\n\(markdown(own))\n")
        }
        parts.append("### Wherever they make sense\n\n\(markdown(shared))\n")
        return parts.joined(separator: "\n")
    }

    private static func markdown(_ rows: [Row]) -> String {
        (["| key | command | what it does |", "|---|---|---|"]
            + rows.map { "| \($0.keys) | `\($0.command)` | \($0.help) |" }).joined(separator: "\n")
    }
}

extension State {
    /// Where the keys go now.
    package var place: KeyTable.Place {
        if let search = activeSearch, search.isTyping { return .search }
        return switch top {
        case nil: picker.isFiltering ? .filter : .picker
        case .form: .form
        case .progress(let screen): screen.question != nil ? .question : screen.pasted == nil ? .progress : .paste
        case .inspector(let screen): screen.line != nil ? .line : screen.isReading ? .tokenDetails : .inspector
        case .scopes(let screen): screen.field == nil ? .scopes : .line
        case .acquisition: .acquisition
        case .dialog: .dialog
        case .departure: .departure
        case .group(let screen): screen.stage == .asking ? .dialog : .departure
        case .help: .help
        case .themes: .themes
        case .doctor: .doctor
        case .settings: .settings
        case .palette: .palette
        case .activity(let screen): screen.isReading ? .activityDetails : .activity
        case .stores(let screen): screen.isReading ? .storeDetails : .stores
        }
    }

    var keys: KeyTable { .of(place, context.keyChanges) }
}
