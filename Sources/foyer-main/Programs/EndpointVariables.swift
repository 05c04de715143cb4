import CommandSupport
import Glibc
import Identity
import Programs
import StrictJSON
import TokenCache

/// The values of the environment variables that point programs to an endpoint.
struct EndpointVariables {
    let values: [String: String]
    let given: Set<GivenIdentity>

    /// - Parameter hasDeveloperCLI: whether to add the variables of the Azure Developer CLI.
    init(_ endpoint: IdentityEndpoint, hasDeveloperCLI: Bool) {
        let secret = endpoint.secret.reveal()
        var values = ["IDENTITY_HEADER": secret, "AZURE_TOKEN_CREDENTIALS": "prod"]
        // The program that forwards a Unix socket in a container sets its own address there.
        if let port = endpoint.port {
            let origin = "http://127.0.0.1:\(port)"
            values["IDENTITY_ENDPOINT"] = origin + "/msi/token"
            values["ARM_MSI_ENDPOINT"] = origin + "/msi/token/" + secret
            values["ARM_USE_MSI"] = "true"
            if hasDeveloperCLI { values["AZD_AUTH_ENDPOINT"] = origin }
        }
        if hasDeveloperCLI { values["AZD_AUTH_KEY"] = secret }
        self.values = values
        given = Self.given(hasDeveloperCLI: hasDeveloperCLI)
    }

    static func given(hasDeveloperCLI: Bool) -> Set<GivenIdentity> {
        hasDeveloperCLI ? [.managedIdentity, .developerCLI] : [.managedIdentity]
    }
}

extension CommandContext {
    /// With the AI agent's session that the programs are in.
    func show(_ surroundings: StartedEnvironment, all: Bool) throws(Failure) {
        let session = try world.session()
        let found = session.map { JSONValue(("agent", $0.agent.json), ("variable", $0.variable.json)) } ?? .null
        let members = surroundings.json.object?.members ?? []
        output.result(
            .object(JSONObject(members + [JSONMember(name: "agentSession", value: found)])),
            or: surroundings.lines(all: all) + (session.map { ["session: \($0.words)"] } ?? []))
    }
}

extension StartedEnvironment {
    /// For a program that is started from this process's environment.
    init(_ given: Set<GivenIdentity>, _ options: TokenOptions, _ environment: ProcessEnvironment) {
        self.init(
            given, options, environment, names: ChildProcess.variableNames(),
            exists: { access($0, F_OK) == 0 })
    }
}
