import CommandSupport
import Identity

enum ExitStatusTable {
    private static var failures: [(status: Int32, codes: [Failure.Code])] {
        Dictionary(grouping: Failure.Code.allCases, by: \.exitStatus).sorted { $0.key < $1.key }.map { ($0, $1) }
    }

    /// One short line each, for the overview of all commands.
    static var summary: [(name: String, text: String)] {
        [("0", "done"), ("1", "standard output could not be written")]
            + failures.map { status, codes in
                let texts = codes.map { String($0.meaning.prefix { $0 != ";" && $0 != ":" }) }
                return (String(status), texts.joined(separator: "; "))
            }
    }

    static var markdown: String {
        let failures = failures.map { status, codes in
            let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return "| \(status) | \(names) | \(codes.map(\.meaning).joined(separator: "; ")) |"
        }
        let rows =
            [
                "| 0 | | done |",
                """
                | 1 | | standard output could not be written; `foyer setup --dry-run`: there are changes to make |
                """,
            ] + failures
        return "| status | code | meaning |\n|---|---|---|\n" + rows.map { $0 + "\n" }.joined()
    }
}

extension Failure.Code {
    fileprivate var meaning: String {
        switch self {
        case .interactionRequired: "sign-in required; the message says why"
        case .declinedScopes: "some scopes were not granted; the error lists both"
        case .serverError: "the provider refused; signing in does not help"
        case .unavailable: "provider unreachable, timeout or throttled; try again later"
        case .storeError:
            "the store cannot be read, written or locked; nothing was changed unless the message says what was"
        case .notFound: "no such account, client or token"
        case .ambiguous: "several match; the error lists them"
        case .untrustedResponse: "a response failed a security check"
        case .usage: "usage error"
        case .invalidInput: "malformed file or token"
        case .configuration:
            """
            configuration error: the message gives the file, the line and the correction; or a missing system \
            requirement
            """
        case .cancelled: "cancelled or declined"
        }
    }
}
