import AppModel
import CommandSupport
import FoundationEssentials
import Helpers
import Identity
import Programs
import StrictJSON

extension CommandContext {
    func show(_ uses: [ProgramUse], isWide: Bool) {
        if output.json { return output.result(JSONValue(("uses", .array(uses.map(\.json))))) }
        guard !uses.isEmpty else {
            return output.note("no program has requested a token yet; see \"foyer help programs\"")
        }
        list(
            uses,
            [
                .init("TIME", rank: 3) { .init($0.date.rfc3339, .muted) },
                .init("PROGRAM", least: 6, usual: 16) { .init($0.request.program) },
                .init("FOR", least: 12, usual: 32) { .init($0.target) },
                .init("ACCOUNT", least: 12, usual: 28) { .init($0.account) },
                .init("CLIENT", least: 6, usual: 16, rank: 2) { .init($0.client, .muted) },
                .init("RULE", rank: 4) { .init($0.ruleLine.map { "line \($0)" } ?? "no rule", .muted) },
                .init("OUTCOME") {
                    switch $0.outcome {
                    case .given(let source): .init(source)
                    case .refused(let code, _): .init("refused: " + code, .danger)
                    }
                },
                .init("SCOPES", least: 12, isList: true, rank: 5) { .init($0.scopes.joined(separator: " "), .muted) },
            ], isWide: isWide)
    }
}
