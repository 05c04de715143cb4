// Setup connects other programs with foyer, by links and by lines in their configuration, and takes all of it back: a
// plan says what would change, a record holds what was changed. It must never call a program in a way that makes it
// call foyer as its helper.

/// A program that `foyer setup` can connect.
package enum SetupProgram: String, CaseIterable, Sendable {
    case git, docker, kubectl, az, pip, uv

    package var name: String { rawValue }

    /// The names that it calls foyer by, as links; the first is the one that the rest is about.
    var helperNames: [String] {
        switch self {
        case .git: ["git-credential-foyer"]
        case .docker: ["docker-credential-foyer"]
        case .kubectl: ["kubectl-foyer", "kubelogin", "kubectl-oidc_login"]
        case .az: ["az"]
        case .pip, .uv: ["keyring"]
        }
    }
}
