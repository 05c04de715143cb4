import Terminal

/// One thing that was looked at, for `foyer doctor` and for the screen of the same name.
package struct Finding: Equatable, Sendable {
    package enum Verdict: String, Sendable { case good, note, bad }

    package var subject: String
    package var verdict: Verdict
    package var detail: String
    /// What to do about it.
    package var hint: String?

    package init(_ subject: String, _ verdict: Verdict, _ detail: String, hint: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.detail = detail
        self.hint = hint
    }
}

/// How an examination goes on.
package enum DiagnosticsEvent: Equatable, Sendable {
    /// The thing that is being looked at now.
    case looking(String)
    case found(Finding)
    case over
}

/// The examination of settings, store, terminal, browser, network and clock, line by line while it runs.
struct DoctorSheet: Equatable, Sendable {
    let flight: FlightID
    private(set) var findings: [Finding] = []
    /// What is being looked at; nil between two things and at the end.
    private(set) var looking: String?
    private(set) var isWaiting = true
    var scroll = 0

    init(flight: FlightID) { self.flight = flight }

    mutating func hear(_ event: DiagnosticsEvent) {
        guard isWaiting else { return }
        switch event {
        case .looking(let subject): looking = subject
        case .found(let finding):
            looking = nil
            if findings.count < 200 { findings.append(finding) }
        case .over:
            looking = nil
            isWaiting = false
        }
    }

    func sheet(width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        for finding in findings {
            let (glyph, role) = finding.verdict.sign(glyphs)
            sheet.item(glyph, role, "\(finding.verdict.word) \(finding.subject): \(finding.detail)")
            if let hint = finding.hint { sheet.text(hint, .emphasis, indent: 2) }
        }
        if let looking { sheet.item(glyphs.half, .info, "looking at \(looking)") }
        guard !isWaiting else { return sheet }
        sheet.blank()
        let (bad, notes) = (findings.count { $0.verdict == .bad }, findings.count { $0.verdict == .note })
        if bad > 0 {
            sheet.text("\(counted(bad, "thing")) to mend" + (notes > 0 ? ", \(counted(notes, "note"))" : ""), .danger)
        } else {
            sheet.text(notes > 0 ? "nothing to mend, \(counted(notes, "note"))" : "all is well", .ok)
        }
        return sheet
    }
}

extension Finding.Verdict {
    /// Four columns, so that lines stand below one another.
    package var word: String {
        switch self {
        case .good: "ok  "
        case .note: "note"
        case .bad: "BAD "
        }
    }

    fileprivate func sign(_ glyphs: Glyphs) -> (String, Role) {
        switch self {
        case .good: (glyphs.check, .ok)
        case .note: (glyphs.warning, .attention)
        case .bad: (glyphs.cross, .danger)
        }
    }
}

extension State {
    /// Examines everything anew.
    mutating func examine() -> [Effect] {
        let flight = newFlight()
        if case .doctor = top { stack.removeLast() }
        stack.append(.doctor(DoctorSheet(flight: flight)))
        return [.examine(flight)]
    }

    mutating func perform(_ command: Command, _ doctor: DoctorSheet) -> [Effect] {
        guard command == .reload else {
            scroll(command)
            return []
        }
        return examine()
    }

    var doctor: DoctorSheet? {
        guard case .doctor(let screen) = top else { return nil }
        return screen
    }
}
