import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import Programs
import StrictJSON

/// `foyer why --recent`: the record of what programs were given.
struct RecentUses {
    private let uses: [ProgramUse]

    init(_ uses: [ProgramUse]) { self.uses = uses }

    /// - Parameter isWide: with every column.
    func show(_ session: CommandContext, isWide: Bool) {
        guard !session.output.json else {
            return session.output.result(JSONValue(("uses", .array(uses.map(\.json)))))
        }
        guard !uses.isEmpty else {
            return session.output.note("no program was given a token yet; see \"foyer help programs\"")
        }
        session.output.listing(
            Listing(
                [
                    .init(title: "TIME", rank: 3), .init(title: "PROGRAM", least: 6, usual: 16),
                    .init(title: "FOR", least: 12, usual: 32), .init(title: "ACCOUNT", least: 12, usual: 28),
                    .init(title: "CLIENT", least: 6, usual: 16, rank: 2), .init(title: "RULE", rank: 4),
                    .init(title: "OUTCOME"), .init(title: "SCOPES", least: 12, isList: true, rank: 5),
                ],
                rows: uses.map { use in
                    let (outcome, tone): (String, Tone) =
                        switch use.outcome {
                        case .given(let source): (source, .text)
                        case .refused(let code, _): ("refused: " + code, .danger)
                        }
                    return [
                        .init(use.date.rfc3339, .muted), .init(use.request.program), .init(use.target),
                        .init(use.account), .init(use.client, .muted),
                        .init(use.ruleLine.map { "line \($0)" } ?? "no rule", .muted), .init(outcome, tone),
                        .init(use.scopes.joined(separator: " "), .muted),
                    ]
                }), on: session.screen, isWide: isWide)
    }
}
