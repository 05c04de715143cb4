/// The names that rules and records have for what asks through foyer, but for programs that `foyer run` starts.
package enum ProgramName: String, CaseIterable, Sendable {
    case git, docker, kubectl, az, azd, keyring, google, endpoint
    case idToken = "id-token"
}
