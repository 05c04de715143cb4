package import CommandSupport
package import Identity

/// What a person writes after `foyer why`: a program, and what it would ask for.
package enum ProgramTarget {
    /// - Throws: `usage` for what cannot be a target of the program.
    package static func wish(
        _ program: String, _ target: String?, _ options: CommonOptions, _ environment: ProcessEnvironment
    ) throws(Failure) -> ProgramCall.Wish {
        switch program {
        case "git":
            guard let target else {
                throw Failure(
                    .usage, "git asks for a URL", hint: "run \"foyer why git https://dev.azure.com/contoso/x\"")
            }
            return try GitCredential(url: target).wish(options, environment)
        case "keyring", "pip", "uv":
            guard let request = KeyringRequest(["get", target ?? ""]) else {
                throw Failure(
                    .usage, "\(program) asks for the address of an index",
                    hint: "run \"foyer why pip https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/\"")
            }
            var wish = request.wish(environment)
            wish.options = options
            return wish
        case "docker":
            guard let registry = target.flatMap({ ContainerRegistry($0) }) else {
                throw Failure(
                    .usage, "docker asks for a registry", hint: "run \"foyer why docker contoso.azurecr.io\"")
            }
            return registry.wish(options, environment)
        case "kubectl":
            return ProgramCall.Wish(
                ProgramRequest(
                    program: program, cluster: target, directory: environment.workingFolder, home: environment.home),
                options: options)
        default:
            guard target == nil else {
                throw Failure(
                    .usage, "\(program) asks for nothing that rules look at", hint: "leave out \(target ?? "")")
            }
            if program == ProgramName.az.rawValue {
                return .az(options, AzureProfile(environment).subscription(nil), environment)
            }
            return ProgramCall.Wish(
                ProgramRequest(program: program, directory: environment.workingFolder, home: environment.home),
                options: options)
        }
    }
}
