import CommandSupport
import Identity
import Programs

/// Programs that ask in the demo, by the same calls as elsewhere: one that its settings have a rule for, and one that
/// has none among several accounts.
struct DemoPrograms: Sendable {
    private let session: CommandContext

    init(_ session: CommandContext) { self.session = session }

    func ask() async {
        let environment = session.environmentOfPrograms
        let calls = SilentCalls()
        for request in [
            ProgramRequest(program: "kubectl", cluster: "https://cluster.contoso.example"),
            ProgramRequest(program: DemoWorld.ruledProgram),
        ] {
            let query = TokenQuery(TokenOptions(), request, request.cluster == nil ? .resource([]) : .cluster)
            guard let context = try? CommandContext(query.options, environment: environment),
                let call = try? ProgramCall(query, context)
            else { continue }
            // What comes of it is in the record.
            _ = try? await call.token(calls)
        }
        await calls.close()
    }
}

extension CommandContext {
    /// What programs go by whose requests are answered: the person's environment; in the demo its own places, and no
    /// agent.
    var environmentOfPrograms: ProcessEnvironment {
        guard let folder = homeOfPrograms else { return environment }
        let (environment, config, store) = (environment, settings.path, shared.store)
        return ProcessEnvironment(workingFolder: environment.workingFolder) { name in
            switch name {
            case "FOYER_CONFIG": config
            case "FOYER_STORE": store
            case "XDG_STATE_HOME", "XDG_RUNTIME_DIR": folder
            case _ where name.hasPrefix("FOYER_"): nil
            default: environment[name]
            }
        }
    }
}
