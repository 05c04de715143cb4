import CommandSupport
import Helpers
import Identity
import Programs
import TokenCalls

extension CommandContext {
    /// Requests tokens in the demo: for a program with a rule, and for one that must choose between accounts.
    func askAsPrograms() async {
        let environment = environmentOfPrograms
        let calls = SilentCalls()
        for request in [
            ProgramRequest(program: "kubectl", cluster: "https://cluster.contoso.example"),
            ProgramRequest(program: DemoWorld.ruledProgram),
        ] {
            let query = TokenQuery(TokenOptions(), request, request.cluster == nil ? .resource([]) : .cluster)
            guard let context = try? CommandContext(query.options, environment: environment),
                let call = try? ProgramCall(query, context)
            else { continue }
            // The result is in the record.
            _ = try? await call.token(calls)
        }
        await calls.close()
    }
}
