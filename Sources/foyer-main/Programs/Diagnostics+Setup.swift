import AppModel
import CommandSupport
import Identity
import Programs

extension Diagnostics {
    func programs(_ session: CommandContext) -> [DoctorFinding] {
        do throws(Failure) {
            let states = try Setup(session.environment).states()
            let unused = states.filter { $0.state == .notSetUp }.map(\.name)
            let findings = states.filter { $0.state != .notSetUp }.map { state in
                let detail = state.state.words + (state.detail.isEmpty ? "" : ": \(state.detail)")
                return state.state == .setUp
                    ? DoctorFinding(state.name, .good, detail)
                    : DoctorFinding(
                        state.name, .note, detail,
                        hint: "see what would change: foyer setup \(state.name) --dry-run")
            }
            guard !unused.isEmpty else { return findings }
            return findings + [
                DoctorFinding(
                    "programs", .good, "not set up: " + unused.joined(separator: ", "),
                    hint: findings.isEmpty ? "to connect one: foyer setup" : nil)
            ]
        } catch { return [DoctorFinding("programs", .note, error.message, hint: error.hint?.words)] }
    }
}
