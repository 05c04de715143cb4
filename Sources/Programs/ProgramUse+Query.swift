package import CommandSupport
package import Helpers
import Identity

extension ProgramUse {
    /// The query that the program would make with the same options and current settings; nil if rules do not apply.
    package func query(_ settings: Settings, _ environment: ProcessEnvironment) -> TokenQuery? {
        guard !ProgramName.withoutRules.contains(request.program) else { return nil }
        var (options, asked) = (TokenOptions(), TokenOptions())
        let isName = settings.client(named: client) != nil || Client.wellKnown(client) != nil
        func name(_ options: inout TokenOptions) {
            if isName { options.client = client } else { options.clientID = clientID }
        }
        switch ResolvedClient.Source(rawValue: clientSource) {
        case .option: name(&options)
        case .asked: name(&asked)
        default: break
        }
        // git, docker and keyring send no scopes.
        if request.host == nil, request.registry == nil { asked.scopes = scopes }
        var query = TokenQuery(options, request)
        if let host = request.host {
            // Without a path, the organization is the username in the URL.
            let person = request.path == nil ? request.organization.map { $0 + "@" } ?? "" : ""
            let url = "https://\(person)\(host)/\(request.path ?? "")"
            let isIndex = request.program == ProgramName.keyring.rawValue
            if isIndex { query = KeyringRequest(["get", url])?.query(options, environment) ?? query }
            if !isIndex, let asked = try? GitCredential(url: url).query(options, environment) { query = asked }
        } else if let registry = request.registry.flatMap({ ContainerRegistry($0) }) {
            query = registry.query(options, environment)
        } else if request.program == ProgramName.kubectl.rawValue {
            // No cluster: it was run manually.
            query.place = request.cluster == nil ? .anywhere : .cluster
        } else if request.program == ProgramName.az.rawValue {
            let profile = AzureProfile(environment)
            query = .az(profile, profile.subscription(nil), environment, options: options)
        } else if request.program == ProgramName.azd.rawValue {
            query.place = .azureCLI
        } else if request.program != ProgramName.google.rawValue {
            query.place = .resource(scopes)
        }
        query.asked = asked
        query.request = request
        query.request?.home = environment.home
        return query
    }
}
