import CommandSupport
import Identity

/// The exit statuses with their meaning, for the reference.
enum ExitStatusTable {
    private static var statuses: [Int32] { Set(Failure.Code.allCases.map(\.exitStatus)).sorted() }

    /// One short line for each, as the overview of all commands has it.
    static var summary: [(name: String, text: String)] {
        [("0", "done"), ("1", "standard output could not be written")]
            + statuses.map { status in
                let codes = Failure.Code.allCases.filter { $0.exitStatus == status }
                let texts = codes.map { String($0.meaning.prefix { $0 != ";" && $0 != ":" }) }
                return (String(status), texts.joined(separator: "; "))
            }
    }

    static var markdown: String {
        let failures = statuses.map { status in
            let codes = Failure.Code.allCases.filter { $0.exitStatus == status }
            let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return "| \(status) | \(names) | \(codes.map(\.meaning).joined(separator: "; ")) |"
        }
        let rows =
            [
                "| 0 | | done |",
                """
                | 1 | | standard output could not be written; `foyer setup --dry-run`: there is something to change |
                """,
            ] + failures
        return "| status | code | meaning |\n|---|---|---|\n" + rows.map { $0 + "\n" }.joined()
    }
}

extension Failure.Code {
    /// What it means for who reads it in a table.
    fileprivate var meaning: String {
        switch self {
        case .interactionRequired: "a person must sign in; says why"
        case .declinedScopes: "some scopes were not granted; the error lists both"
        case .serverError: "the provider refused, for a reason that a sign-in does not solve"
        case .unavailable: "the provider was not reached, timed out or asks to wait; trying again later can help"
        case .storeError:
            "the store cannot be read, written or locked; nothing was changed unless the message says what was"
        case .notFound: "no such account, client or token"
        case .ambiguous: "several match; the error lists them"
        case .untrustedResponse: "a response failed a security check"
        case .usage: "wrong usage"
        case .invalidInput: "a file or a token that cannot be read as what it should be"
        case .configuration:
            """
            the settings are wrong: says the file, the line and what to write; or the system lacks what every command \
            needs
            """
        case .cancelled: "the person cancelled, or said no"
        }
    }
}
