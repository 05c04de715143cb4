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
            A family refresh token of another program's store is used only if enabled in the settings: [family] and \
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
            return session.output.result(
                JSONValue(("family", .array(rows.map { $0.json(session, client) })), ("otherStores", .bool(others))))
        }
        guard !rows.isEmpty else { return session.output.note("foyer: no family refresh token is cached") }
        session.list(
            // A client can hold several tokens of one account.
            rows.uniqued { [$0.store, $0.token.holder, $0.token.account.homeAccountID, $0.token.account.environment] },
            [
                .init("STORE", least: 8) { .init($0.store) },
                .init("ACCOUNT", least: 12) { .init($0.token.account.label) },
                .init("HOLDER", least: 8, usual: 20) { .init(session.clientName($0.token.holder), .muted) },
                .init("USED") {
                    .init($0.store == "foyer" ? "yes" : $0.isUsed ? use.words : ClientSelection.never.words)
                },
                .init("REACHES", least: 12, isList: true) {
                    let names = (client.map { [$0.clientID] } ?? $0.token.reach).map(session.clientName)
                    let more = names.count > 4 ? " and \(names.count - 4) more" : ""
                    return .init(names.prefix(4).joined(separator: ", ") + more, .muted)
                },
            ])
        if rows.contains(where: { !$0.isUsed }) {
            session.output.note(
                "hint: to use other stores' tokens, set in \(session.settings.path): [family] and other_stores = true")
        }
    }

    private struct Row {
        var store: String
        var token: FamilyToken
        /// Whether `foyer token` uses it.
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
