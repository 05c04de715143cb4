package import Identity

/// One thing that was looked at, for `foyer doctor` and for the page of the same name.
package struct DoctorFinding: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable { case good, note, bad }

    package var subject: String
    package var verdict: Verdict
    package var detail: String
    /// What to do about it.
    package var hint: String?
    /// What the command ends with when it is the first bad one.
    package var failure: Failure.Code?

    package init(_ subject: String, _ verdict: Verdict, _ detail: String, hint: String? = nil) {
        (self.subject, self.verdict, self.detail, self.hint) = (subject, verdict, detail, hint)
    }
}

/// How an examination goes on.
package enum DoctorEvent: Equatable, Sendable {
    /// The thing that is being looked at now.
    case looking(String)
    case found(DoctorFinding)
    case over
}

extension DoctorFinding {
    /// For a terminal without screens.
    package var line: String { "\(verdict.word) \(subject): \(detail)" }
}

extension DoctorFinding.Verdict {
    /// In the list.
    var state: String {
        switch self {
        case .good: "ok"
        case .note: "note"
        case .bad: "problem"
        }
    }

    /// Four columns, so that lines are aligned.
    var word: String {
        switch self {
        case .good: "ok  "
        case .note: "note"
        case .bad: "BAD "
        }
    }

    var sign: (Sign, Tone) {
        switch self {
        case .good: (.check, .ok)
        case .note: (.warning, .attention)
        case .bad: (.cross, .danger)
        }
    }
}
