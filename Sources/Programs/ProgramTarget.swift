package import CommandSupport
import Helpers
package import Identity

/// The arguments of `foyer why`: a program and the target of its request.
package enum ProgramTarget {
    package static func query(
        _ program: String, _ target: String?, _ options: TokenOptions, _ environment: ProcessEnvironment
    ) throws(Failure) -> TokenQuery {
        switch program {
        case "git":
            guard let target else {
                throw Failure(
                    .usage, "git needs a URL", hint: "run \"foyer why git https://dev.azure.com/contoso/x\"")
            }
            return try GitCredential(url: target).query(options, environment)
        case "keyring", "pip", "uv":
            guard let request = KeyringRequest(["get", target ?? ""]) else {
                throw Failure(
                    .usage, "\(program) needs an index URL",
                    hint: "run \"foyer why pip https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/\"")
            }
            return request.query(options, environment)
        case "docker":
            guard let registry = target.flatMap({ ContainerRegistry($0) }) else {
                throw Failure(.usage, "docker needs a registry", hint: "run \"foyer why docker contoso.azurecr.io\"")
            }
            return registry.query(options, environment)
        case "kubectl":
            return TokenQuery(
                options, ProgramRequest(.kubectl, person: .nobody, cluster: target, environment), .cluster)
        default:
            guard target == nil else {
                throw Failure(
                    .usage, "\(program) has no target for rules", hint: "leave out \(target ?? "")")
            }
            if program == ProgramName.az.rawValue {
                let profile = AzureProfile(environment)
                return .az(profile, profile.subscription(nil), environment, options: options)
            }
            let request = ProgramRequest(program: program, directory: environment.workingFolder, home: environment.home)
            let isAzd = program == ProgramName.azd.rawValue
            // The program's scopes are unknown; use the most common one.
            let scopes = options.scopes.isEmpty ? [AzureCLIRequest.usualScope] : options.scopes
            var query = TokenQuery(options, request, isAzd ? .azureCLI : .resource(scopes))
            if program == ProgramName.google.rawValue { query.place = .anywhere }
            return query
        }
    }
}
