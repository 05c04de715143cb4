package import CommandSupport
import Identity

extension ProgramUse {
    /// What the program would ask for if it did so again, by the same options.
    ///
    /// - Parameter settings: those that say now which clients there are.
    /// - Returns: nil for what no rule decides.
    package func wish(_ settings: Settings, _ environment: ProcessEnvironment) -> ProgramCall.Wish? {
        guard request.program != ProgramName.idToken.rawValue else { return nil }
        var options = CommonOptions()
        if clientSource == ProgramChoice.Source.option.rawValue {
            let isName = settings.client(named: client) != nil || Client.wellKnown(client) != nil
            if isName { options.client = client } else { options.clientID = clientID }
        }
        options.scopes = scopes
        var wish = ProgramCall.Wish(request, options: options)
        if let host = request.host, request.program == ProgramName.git.rawValue {
            // An organization without a path is known by the name before the host.
            let person = request.path == nil ? request.organization.map { $0 + "@" } ?? "" : ""
            let url = "https://\(person)\(host)/\(request.path ?? "")"
            if let asked = try? GitCredential(url: url).wish(options, environment) { wish = asked }
        } else if let registry = request.registry.flatMap({ ContainerRegistry($0) }) {
            wish = registry.wish(options, environment)
        } else if request.program == ProgramName.az.rawValue {
            wish = .az(options, AzureProfile(environment).subscription(nil), environment)
        }
        wish.request = request
        wish.request.home = environment.home
        return wish
    }
}
