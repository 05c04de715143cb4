import ArgumentParser
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import Terminal
import TokenCache

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List accounts (offline)")
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        var overviews = try session.readings(client, all: allStores.isOn).flatMap { store, snapshot in
            snapshot.overviews(clientID: client?.clientID).map { (store, $0) }
        }
        let legacy = LegacySources(session.environment)
        if overviews.isEmpty {
            // Nobody is signed in: the accounts of an old Azure CLI are listed, with the command to import them.
            overviews = legacy.accounts().filter { client == nil || $0.clients.contains(client?.clientID ?? "") }
                .map { (legacy.path, AccountOverview(account: $0, credentials: [])) }
            if !overviews.isEmpty {
                session.output.warn(
                    "these are in \(legacy.path); run \"foyer import \(legacy.path.shellWord)\" to use them")
            }
        }
        if shared.json {
            session.output.result(
                JSONValue(
                    (
                        "accounts",
                        .array(
                            overviews.map { allStores.isOn ? $1.account.listJSON.of(store: $0) : $1.account.listJSON })
                    )))
            return
        }
        guard !overviews.isEmpty else {
            session.output.note("foyer: nobody is signed in; run \"foyer sign-in\"")
            return
        }
        let now = Date()
        session.output.lines(
            Table(
                (allStores.isOn ? ["STORE"] : []) + ["STATE", "USERNAME", "NAME", "TENANT", "CLIENTS", "EXPIRES"]
            ).lines(
                overviews.map { store, overview in
                    let account = overview.account
                    let row: [String] = [
                        account.origin == .adal ? "ADAL" : overview.standing(at: now, clientID: client?.clientID).word,
                        account.label,
                        account.name ?? "",
                        account.homeTenantID ?? account.provider,
                        account.clients.map(session.clientName).joined(separator: ", "),
                        overview.nextExpiry(at: now).map { "in " + Span.words($0.timeIntervalSince(now)) } ?? "",
                    ]
                    return allStores.isOn ? [store] + row : row
                }))
    }
}

struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "List configured and well-known clients")
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let configured = session.settings.clients.map { ($0.name, $0.clientID, $0.authority ?? "", "settings") }
        let known = Client.wellKnown.map { ($0.name, $0.id, "", $0.isFamily ? "well known, family" : "well known") }
        if shared.json {
            session.output.result(
                JSONValue(
                    (
                        "clients",
                        .array(
                            (configured + known).map {
                                JSONValue(
                                    ("name", $0.0.json), ("clientId", $0.1.json), ("authority", $0.2.json),
                                    ("origin", $0.3.json))
                            })
                    )))
        } else {
            session.output.lines(
                Table(["NAME", "CLIENT ID", "AUTHORITY", "FROM"]).lines(
                    (configured + known).map { [$0.0, $0.1, $0.2, $0.3] }))
        }
    }
}

extension CommandContext {
    /// Listings speak of the whole store unless the person names a client.
    func clientIfAny(onlyIfNamed: Bool) throws(Failure) -> ClientChoice? {
        guard shared.clientID != nil || shared.client != nil || environment["FOYER_CLIENT"] != nil else { return nil }
        return try clientIfAny()
    }

    func snapshot(_ client: ClientChoice?) throws(Failure) -> CacheSnapshot {
        let anyClient = try clientIfAny()
        let cache = try self.cache(client ?? anyClient)
        let snapshot: CacheSnapshot
        do { snapshot = try cache.read() } catch { throw Failure(error) }
        for warning in cache.warnings() { output.warn(warning) }
        return snapshot
    }

    func clientName(_ id: String) -> String {
        settings.clients.first { $0.clientID == id }?.name ?? Client.wellKnown(id)?.name ?? id
    }
}

/// Columns as wide as their widest cell, the last one free. Cells are cleaned, so that none can break a line or move a
/// column.
struct Table {
    let headings: [String]
    init(_ headings: [String]) { self.headings = headings }

    func lines(_ rows: [[String]]) -> [String] {
        let cells = ([headings] + rows).map { $0.map { SafeText.line($0, limit: Output.longestLine) } }
        let widths = headings.indices.map { column in cells.map { DisplayWidth.columns($0[column]) }.max() ?? 0 }
        return cells.map { row in
            row.indices.map { column in
                column == row.count - 1
                    ? row[column]
                    : row[column]
                        + String(repeating: " ", count: widths[column] - DisplayWidth.columns(row[column]) + 2)
            }.joined().trimmedRight
        }
    }
}

extension String {
    fileprivate var trimmedRight: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
