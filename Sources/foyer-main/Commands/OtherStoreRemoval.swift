import AppModel
import CommandSupport
import Glibc
import Identity
import StrictJSON
import TokenCache

/// `--from STORE` of `foyer remove` and `foyer sign-out`: removes the account as the other program would.
struct OtherStoreRemoval: Sendable {
    let session: CommandContext
    let store: String
    let name: String
    let isAgreed: Bool
    /// Whether to print what would be removed and change nothing.
    let onlyShows: Bool

    func run() async throws(Failure) {
        let finding = try session.finding(store)
        let source = finding.source
        guard finding.isUsable else {
            throw Failure(
                .notFound, "no \(source.program) accounts: \(finding.state.rawValue)",
                hint: "\"foyer stores\" says why")
        }
        let account = try AccountChoice.find(name, among: finding.snapshot.accounts(clientID: nil))
        guard source.mayWrite else { throw session.readOnly(source) }
        let planned = finding.countToRemove(account, clientID: finding.owner(of: account))
        guard !onlyShows else { return show(account, source, planned) }
        guard await isConfirmed(account, source, planned.subscriptions) else {
            throw Failure(.cancelled, "nothing was removed", hint: "use --yes to remove without confirmation")
        }
        let removal = try session.remove(account, from: finding)
        let files = await session.removeTokenFiles(of: account)
        let words = "removed \(account.label) from \(source.program) (\(Self.words(removal)))"
        session.output.result(
            JSONValue(
                ("removed", account.json), ("store", store.json), ("program", source.program.json),
                ("entries", JSONValue(integer: removal.entries)),
                ("subscriptions", JSONValue(integer: removal.subscriptions)),
                ("tokenFilesRemoved", TokenFileRemoval.json(files))),
            or: [words + "; the browser session is kept"] + TokenFileRemoval.lines(files))
        _ = try files.get()
    }

    private func show(_ account: Account, _ source: StoreSource, _ planned: StoreProbe.RemovedCounts) {
        session.output.result(
            JSONValue(
                ("dryRun", true), ("account", account.json), ("store", store.json),
                ("program", source.program.json), ("entries", JSONValue(integer: planned.entries)),
                ("subscriptions", JSONValue(integer: planned.subscriptions))),
            or: [
                "account: \(account.label)", "to remove from \(source.program): \(Self.words(planned))",
                "nothing was changed",
            ])
    }

    private func isConfirmed(_ account: Account, _ source: StoreSource, _ subscriptions: Int) async -> Bool {
        guard !isAgreed, Agreement.canAsk(session.output) else { return isAgreed }
        let more = subscriptions > 0 ? " and its \(counted(subscriptions, "subscription"))" : ""
        session.output.note(
            "foyer: this signs \(account.label)\(more) out of \(source.program), in \(session.short(source.place))")
        return await Agreement.isGiven(to: "Remove it there?", session.output)
    }

    private static func words(_ counts: StoreProbe.RemovedCounts) -> String {
        let subscriptions = counts.subscriptions > 0 ? ", \(counted(counts.subscriptions, "subscription"))" : ""
        return "\(counts.entries) entries\(subscriptions)"
    }
}

extension StoreProbe {
    /// The program's client: the one that holds the account's refresh tokens, else any of its entries.
    func owner(of account: Account) -> String {
        let held = snapshot.credentials().filter { account.isOwner(of: $0) }
        return (held.first { $0.kind == .refreshToken } ?? held.first)?.clientID ?? ""
    }
}
