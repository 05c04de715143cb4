// Setup connects other programs with foyer by links and by lines in their configuration, and can undo it: a plan lists
// changes, a record keeps them. It must never make a program call foyer as its helper.

/// A program that `foyer setup` can connect.
package enum SetupProgram: String, CaseIterable, Sendable {
    case git, docker, kubectl, az, pip, uv

    package var name: String { rawValue }

    /// The names of its links to foyer; the main one first.
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
