import Identity

/// A way to fix a failure: a command of the feature that shows it.
struct Remedy: Equatable, Sendable {
    let command: Command
    let name: String
    let facts: String

    init(_ command: Command, _ name: String, _ facts: String = "") {
        (self.command, self.name, self.facts) = (command, name, facts)
    }

    static let report = Remedy(.copyMenu, "Copy a report", "time, codes and correlation id, without secrets")

    var label: String { (name.last == "…" ? String(name.dropLast()) : name).lowercased() }
}

// Remedies for a failure as a menu: Enter performs the selected one; each also has its own key.
extension Context {
    /// In plain mode the commands are listed below the text anyway.
    var hasMenus: Bool { naming == .keys }

    /// The selected remedy; the first one if the list has become shorter. Nil without a menu.
    func remedy(of remedies: [Remedy], _ menu: ListCursor) -> Remedy? {
        guard hasMenus else { return nil }
        return remedies.indices.contains(menu.selected) ? remedies[menu.selected] : remedies.first
    }
}

extension TextBlock {
    /// Adds the failure and a menu of remedies.
    ///
    /// - Parameter remainingAccessNote: a note on what still works; may be empty.
    mutating func add(
        _ failure: Failure, _ remedies: [Remedy], _ menu: ListCursor, after remainingAccessNote: String = "",
        in context: Context
    ) {
        addCause(of: failure)
        if !remainingAccessNote.isEmpty { text(remainingAccessNote, .text, indent: 2) }
        // Do not repeat an item of the menu.
        let advice = failure.hint.flatMap { hint in
            hint.endsInSignIn || remedies.contains { $0.label == hint.description } ? nil : hint.description
        }
        guard context.hasMenus else {
            guard let advice else { return }
            blank()
            heading("What you can do")
            return text(advice, .emphasis, indent: 2)
        }
        // Among the lines of the menu it would look like one of them.
        if let advice { text(advice, .emphasis, indent: 2) }
        blank()
        heading("What you can do")
        let width = 2 + (remedies.map(\.name.count).max() ?? 0)
        self.menu(
            remedies.map { ($0.name, $0.facts) }, nameWidth: width, marked: min(menu.selected, remedies.count - 1))
    }

    mutating func addCause(of failure: Failure, _ sign: Sign = .cross, _ tone: Tone = .danger) {
        let message = TextSpan(failure.message, tone == .danger ? .danger : .emphasis)
        sides(
            [TextSpan(" ", tone, sign: sign), message],
            failure.codeWordsLeft.isEmpty ? [] : [TextSpan(failure.codeWordsLeft, .muted)])
        for words in failure.explanationsLeft.prefix(2) { text(words, .text, indent: 2) }
        if !failure.declinedScopes.isEmpty {
            field("granted", failure.grantedScopes.description, labelWidth: 12)
            field("declined", failure.declinedScopes.description, .attention, labelWidth: 12)
        }
    }
}

extension Failure {
    /// Whether the cause may be outside foyer, so the doctor can help.
    var isAboutSurroundings: Bool {
        switch code {
        case .unavailable, .storeError, .configuration, .untrustedResponse: true
        default: false
        }
    }
}

extension Failure.Hint {
    /// Whether the hint is only to sign in, for which there is a command.
    fileprivate var endsInSignIn: Bool {
        switch self {
        case .signIn, .signInAgain: true
        default: false
        }
    }
}
