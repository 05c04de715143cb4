import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache

/// Which account goes, and from where: the same for `foyer remove` and `foyer sign-out`.
struct RemovalOptions: ParsableArguments {
    @Argument(help: "Username, home account id, or an unambiguous prefix", completion: .known(.accounts))
    var name: String
    @Flag(help: "From all clients, with everything saved about the account")
    var wipe = false
    @Option(
        help: ArgumentHelp(
            "From another program's store, as that program would; see \"foyer stores\"",
            valueName: "store"), completion: .known(.otherStores))
    var from: String?
    @Flag(help: "With --from: do not ask")
    var yes = false

    func validate() throws {
        if from == nil, yes { throw ValidationError("--yes goes with --from") }
    }

    /// The account that is meant and the client that it goes from: the one that is named anywhere; else, where all are
    /// to go or one alone has the account, that one.
    ///
    /// - Throws: `ambiguous` where several clients have it.
    func target(_ session: CommandContext) throws(Failure) -> (client: ClientChoice, account: Account) {
        let named = try session.clientIfAny()
        let snapshot = try session.snapshot(named)
        // The client by default is one of several where none is named: whoever is meant may be another's.
        let usual = named.flatMap { client in
            let isThere = snapshot.accounts(clientID: client.clientID).contains { $0.isMeant(by: name) }
            return isThere || session.shared.client != nil || session.shared.clientID != nil ? client : nil
        }
        if let usual {
            let known = snapshot.accounts(clientID: wipe ? nil : usual.clientID)
            return (usual, try AccountChoice.find(name, among: known, at: try session.authority(usual)))
        }
        let account = try AccountChoice.find(name, among: snapshot.accounts(clientID: nil))
        let holders = Set(snapshot.credentials(clientID: nil).map(\.clientID)).filter { clientID in
            snapshot.accounts(clientID: clientID).contains { $0.id.isSamePerson(as: account.id) }
        }.sorted()
        guard let holder = holders.first else { return (try session.client(), account) }
        guard wipe || holders.count == 1 else {
            throw Failure(
                .ambiguous,
                "\(account.label) is signed in for \(holders.map(session.clientName).joined(separator: ", "))",
                hint: "name one with --client, or all with --wipe")
        }
        return (session.world.choice(id: holder, in: snapshot), account)
    }

    /// Removes the account from another program's store, if one is named.
    ///
    /// - Returns: whether one is named.
    func removeFromOtherStore(_ session: CommandContext) async throws(Failure) -> Bool {
        guard let from else { return false }
        try await OtherStoreRemoval(session: session, store: from, name: name, isAgreed: yes).run()
        return true
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account from one client (offline)",
        discussion: """
            Other clients keep their tokens, and the browser session is kept. No server is contacted.
            """)
    @OptionGroup var removal: RemovalOptions
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if removal.from != nil, removal.wipe { throw ValidationError("--from and --wipe exclude each other") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if try await removal.removeFromOtherStore(session) { return }
        let (client, account) = try removal.target(session)
        let application = try session.application(client)
        let count = try await application.remove(account, wipe: removal.wipe)
        if shared.json {
            session.output.result(
                JSONValue(
                    ("removed", account.json), ("clientId", client.clientID.json),
                    ("entries", JSONValue(integer: count))))
        } else {
            session.output.lines([
                removal.wipe
                    ? "removed \(account.label) from every client (\(count) entries); the browser keeps its sign-in"
                    : """
                    removed \(account.label) from \(client.name) (\(count) entries); other clients and the \
                    browser keep theirs
                    """
            ])
        }
    }
}
