/// Program names in rules and records, except those of programs that `foyer run` starts.
package enum ProgramName: String, CaseIterable, Sendable {
    case git, docker, kubectl, az, azd, keyring, google, endpoint
    case idToken = "id-token"
    case token = "foyer token"

    /// Commands of foyer that are recorded; rules do not apply to them.
    package static let withoutRules: Set = [idToken.rawValue, token.rawValue]
}
