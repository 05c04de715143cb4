package import Identity

/// The result of one check, for `foyer doctor` and for its page.
package struct DoctorFinding: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable { case good, note, bad }

    package var subject: String
    package var verdict: Verdict
    package var detail: String
    package var hint: String?
    /// The command's exit status if it is the first problem.
    package var failure: Failure.Code?

    package init(_ subject: String, _ verdict: Verdict, _ detail: String, hint: String? = nil) {
        (self.subject, self.verdict, self.detail, self.hint) = (subject, verdict, detail, hint)
    }
}

package enum DoctorEvent: Equatable, Sendable {
    case looking(String)
    case found(DoctorFinding)
    case over
}

extension DoctorFinding {
    /// For a terminal without screens.
    package var line: String { "\(verdict.words.padded) \(subject): \(detail)" }
}

extension DoctorFinding.Verdict {
    /// The padded word has four columns, for alignment.
    fileprivate var words: (state: String, padded: String, sign: (Sign, Tone)) {
        switch self {
        case .good: ("ok", "ok  ", (.check, .ok))
        case .note: ("note", "note", (.warning, .attention))
        case .bad: ("problem", "BAD ", (.cross, .danger))
        }
    }

    var state: String { words.state }
    var sign: (Sign, Tone) { words.sign }
}
