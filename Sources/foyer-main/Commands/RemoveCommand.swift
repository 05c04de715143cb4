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

    /// The account that is meant, of this client or, to be wiped, of any.
    func account(
        _ session: CommandContext, _ client: ClientChoice, _ application: PublicClientApplication
    ) async throws -> Account {
        let known = wipe ? try session.snapshot(client).accounts(clientID: nil) : try await application.allAccounts()
        return try AccountChoice.find(name, among: known, at: application.configuration.authority)
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
        let client = try session.client()
        let application = try session.application(client)
        let account = try await removal.account(session, client, application)
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
