import AppModel
import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import StrictJSON
import Terminal
import TokenCache

struct CleanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove expired tokens, orphans and damaged entries",
        discussion: """
            Orphans are tokens without an account, and accounts without tokens. Refresh tokens are never removed: sign \
            out instead. A damaged entry cannot be used; one without expires_on breaks every silent call in MSAL for \
            Python.
            Asks before removing; without a terminal it only lists, unless --yes is given.
            """)
    @Flag(help: "Do not ask for confirmation")
    var yes = false
    @Flag(name: .customLong("dry-run"), help: "Show what would be removed")
    var onlyShows = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if yes, onlyShows { throw ValidationError("--yes and --dry-run cannot be used together") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        let now = Date()
        let snapshot = try OversizedStore.accepted { () throws(Failure) in try session.snapshot(client) }
        let shown = PrunableEntries(in: snapshot, clientID: client?.clientID, at: now)
        if !shared.json { show(shown, snapshot, session) }
        guard !shown.isEmpty else {
            report(shown, .none, session)
            return session.output.hint(
                shared.json, "nothing to clean: no expired access token, no orphan, no damaged entry")
        }
        var isAgreed = yes
        if !yes, !onlyShows { isAgreed = await Agreement.isGiven(to: "Remove \(shown.words)?", session.output) }
        guard isAgreed else {
            report(shown, .none, session)
            let isAsked = onlyShows || Agreement.canAsk(session.output)
            return session.output.hint(
                shared.json, "nothing was removed" + (isAsked ? "" : "; add --yes to remove them"))
        }
        let cache = try session.cache(client)
        let removed = try Failure.translating(
            try OversizedStore.accepted { () throws(StoreError) in
                try cache.remove(shown, clientID: client?.clientID, at: now)
            })
        report(shown, removed, session)
        session.output.hint(shared.json, "removed \(removed.words)")
    }

    private func show(_ shown: PrunableEntries, _ snapshot: CacheSnapshot, _ session: CommandContext) {
        guard !shown.isEmpty else { return }
        let names = AccountLabels(snapshot.accounts())
        let ids = TokenIDs(shown.credentials)
        let tokens: [[Listing.Cell]] = shown.credentials.map { token in
            [
                .init(session.clientName(token.clientID), .muted), .init(token.kind.word),
                .init(token.homeAccountID.map { names[$0] ?? $0 } ?? "(the client itself)"),
                .init(token.homeAccountID.map { names[$0] != nil } ?? true ? "expired" : "no account"),
                .init(token.scopes.description, .muted), .init(ids[token], .muted), .init(token.id, .muted),
            ]
        }
        let accounts: [[Listing.Cell]] = shown.accounts.map {
            [
                .init(""), .init("account"), .init($0.label), .init("without tokens"), .init(""), .init(""),
                .init($0.homeAccountID, .muted),
            ]
        }
        let damaged: [[Listing.Cell]] = shown.damaged.map { entry in
            [
                .init(entry.clientID.map(session.clientName) ?? "", .muted), .init(entry.kind.word),
                .init(entry.homeAccountID.map { names[$0] ?? $0 } ?? ""), .init("damaged: \(entry.why)", .attention),
                .init(""), .init(""), .init(entry.key, .muted),
            ]
        }
        session.output.listing(
            Listing(
                [
                    .init(title: "CLIENT", least: 8, usual: 20, rank: 2), .init(title: "KIND"),
                    .init(title: "ACCOUNT", least: 12), .init(title: "WHY", least: 12),
                    .init(title: "SCOPES", least: 10, usual: 24, isList: true, rank: 3), .init(title: "ID", rank: 1),
                    .init(title: "KEY", isForPipes: true),
                ], rows: tokens + accounts + damaged), on: session.screen)
    }

    private func report(_ shown: PrunableEntries, _ removed: PrunableEntries, _ session: CommandContext) {
        guard shared.json else { return }
        session.output.result(
            JSONValue(
                ("tokens", .array(shown.credentials.map { $0.json(reveal: false) })),
                ("accounts", .array(shown.accounts.map(\.json))),
                ("damaged", .array(shown.damaged.map(\.json))), ("removed", JSONValue(integer: removed.count))))
    }
}

extension PrunableEntries {
    fileprivate var words: String {
        [
            credentials.isEmpty ? nil : counted(credentials.count, "token"),
            accounts.isEmpty ? nil : counted(accounts.count, "account"),
            damaged.isEmpty ? nil : counted(damaged.count, "damaged entry", "damaged entries"),
        ].compactMap(\.self).joined(separator: " and ")
    }
}

extension Output {
    /// The JSON result already says it.
    fileprivate func hint(_ isJSON: Bool, _ line: String) { if !isJSON { note("foyer: " + line) } }
}
