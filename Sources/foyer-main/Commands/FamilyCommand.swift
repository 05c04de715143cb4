import AppModel
import ArgumentParser
import CommandSupport
import Identity
import StrictJSON
import TokenCache

struct FamilyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "family",
        abstract: "Show which client can use which family refresh token",
        discussion: """
            A family refresh token of another program's store is only used when the settings say so: [family] and \
            other_stores = true, or for some clients only, other_stores = ["work"].
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        let use = session.settings.familyOfOtherStores
        let others = client.map { session.settings.selects($0, use) } ?? (use != .never)
        var rows: [Row] = []
        for (store, snapshot) in try session.readings(client, all: true) {
            for token in snapshot.familyTokens() {
                if let wanted = client?.clientID, wanted != token.holder, !token.reach.contains(wanted) { continue }
                rows.append(Row(store: store, token: token, isUsed: store == "foyer" || others))
            }
        }
        if let named = shared.account {
            let account = try AccountChoice.find(named, amongStores: rows.map(\.token.account))
            rows = rows.filter { account.isOwner(of: $0.token.token) }
        }
        if shared.json {
            session.output.result(
                JSONValue(("family", .array(rows.map { $0.json(session, client) })), ("otherStores", .bool(others))))
            return
        }
        guard !rows.isEmpty else {
            session.output.note("foyer: no family refresh token is cached")
            return
        }
        session.output.listing(
            Listing(
                [
                    .init(title: "STORE", least: 8), .init(title: "ACCOUNT", least: 12),
                    .init(title: "HELD BY", least: 8, usual: 20), .init(title: "USED"),
                    .init(title: "REACHES", least: 12, isList: true),
                ],
                rows: rows.uniqued().map { row in
                    let names = (client.map { [$0.clientID] } ?? row.token.reach).map(session.clientName)
                    let shown =
                        names.prefix(4).joined(separator: ", ")
                        + (names.count > 4 ? " and \(names.count - 4) more" : "")
                    let used = row.store == "foyer" ? "yes" : row.isUsed ? use.words : ClientSelection.never.words
                    return [
                        .init(row.store), .init(row.token.account.label),
                        .init(session.clientName(row.token.holder), .muted), .init(used), .init(shown, .muted),
                    ]
                }), on: session.screen)
        if rows.contains(where: { !$0.isUsed }) {
            session.output.note(
                """
                hint: to use those of other stores, write in \(session.settings.path): [family] and other_stores \
                = true
                """
            )
        }
    }

    fileprivate struct Row {
        var store: String
        var token: FamilyToken
        /// Whether `foyer token` would take it.
        var isUsed: Bool

        func json(_ session: CommandContext, _ client: ClientChoice?) -> JSONValue {
            let reach = client.map { [$0.clientID] } ?? token.reach
            return JSONValue(
                ("store", store.json), ("account", token.account.json), ("holder", token.holder.json),
                ("holderName", session.clientName(token.holder).json), ("familyId", token.familyID.json),
                ("isUsed", .bool(isUsed)),
                (
                    "clients",
                    .array(reach.map { JSONValue(("clientId", $0.json), ("name", session.clientName($0).json)) })
                ), ("tokenId", token.token.id.json))
        }
    }
}

extension [FamilyCommand.Row] {
    /// One for each holder and person of a store: a client may hold several tokens of one person.
    fileprivate func uniqued() -> Self {
        var seen: Set<[String]> = []
        return filter {
            seen.insert([$0.store, $0.token.holder, $0.token.account.homeAccountID, $0.token.account.environment])
                .inserted
        }
    }
}
