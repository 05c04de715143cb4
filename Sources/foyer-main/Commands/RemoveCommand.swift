import Agent
import ArgumentParser
import CommandSupport
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import TokenCalls

/// From where accounts are removed, for `foyer remove` and `foyer sign-out`.
struct RemovalOptions: ParsableArguments {
    @Flag(help: "Remove from all clients, with all saved data")
    var wipe = false
    @Option(
        help: ArgumentHelp(
            "Remove from another program's store; see \"foyer stores\"",
            valueName: "store"), completion: .known(.otherStores))
    var from: String?
    @Flag(help: "Do not ask for confirmation")
    var yes = false
    @Flag(name: .customLong("dry-run"), help: "Show what would be removed; change nothing")
    var onlyShows = false

    func validate() throws {
        if yes, onlyShows { throw ValidationError("--yes and --dry-run cannot be used together") }
    }

    /// The account and its client: the named or default client; without one the only one that has the account, or any
    /// with --wipe.
    ///
    /// - Throws: `notFound` for an account of another provider than the client's, with the client by which it has
    ///   signed in; `ambiguous` if several clients have it.
    func target(_ name: String, _ session: CommandContext) throws(Failure) -> RemovalTarget {
        let named = try session.resolved()
        let snapshot = try session.snapshot(named.client)
        let signIns = SignInSearch(session, snapshot)
        if let client = named.client {
            let found = try signIns.accounts(of: client, wipes: wipe).meant(by: name)
            // The client of the first sign-in was not chosen for a removal.
            if named.source != .remembered {
                guard !found.isEmpty else { throw signIns.failure(naming: name, client) }
                return RemovalTarget(client: client, account: try AccountChoice.find(name, among: found))
            }
        }
        let all = try signIns.accounts
        let matches = all.meant(by: name)
        guard matches.count < 2 else {
            throw Refusal.ambiguousAccount(name, matches, clients: signIns.clients(of: matches)).failure
        }
        let account = try AccountChoice.find(name, among: all)
        let uses = signIns.uses(of: account)
        guard let use = uses.first else { return RemovalTarget(client: try session.client(), account: account) }
        guard wipe || uses.allSatisfy({ ClientID.isSame($0.clientID, use.clientID) }) else {
            throw Failure(
                .ambiguous,
                "\(account.label) is signed in for \(uses.map(signIns.known.name(of:)).joined(separator: ", "))",
                hint: "name one with --client, or all with --wipe")
        }
        return RemovalTarget(client: signIns.known.choice(of: use), account: account)
    }

    /// Like ``target(_:_:)``. If no account matches, it can have been removed by a command that was killed before it
    /// removed the account's token files: they are removed now.
    func targetOrSweep(_ name: String, _ session: CommandContext) async throws(Failure) -> RemovalTarget {
        do throws(Failure) { return try target(name, session) } catch {
            guard error.code == .notFound, !onlyShows,
                let count = try? await TokenFileUpdate.removeTokens(ofSignedOut: nil, session.environment), count > 0
            else { throw error }
            var failure = error
            failure.message += "; token files left of signed-out accounts were removed: \(count)"
            throw failure
        }
    }

    /// - Returns: whether `--dry-run` was given; prints what would be removed then.
    func show(_ session: CommandContext, _ target: RemovalTarget) async throws(Failure) -> Bool {
        guard onlyShows else { return false }
        let (client, account) = (target.client, target.account)
        let snapshot = try session.snapshot(client)
        let clientID = wipe ? nil : client.clientID
        let refreshTokens = snapshot.credentials(of: account.id, clientID: clientID).count { $0.kind == .refreshToken }
        let entries = snapshot.countToRemove(account.id, clientID: clientID)
        let files = try await TokenFileUpdate.files(of: account.id, clientID: clientID, session.environment)
        session.output.result(
            JSONValue(
                ("dryRun", true), ("account", account.json),
                ("clientId", clientID.json), ("refreshTokens", JSONValue(integer: refreshTokens)),
                ("entries", JSONValue(integer: entries)),
                ("tokenFiles", .array(files.map(\.path.json)))),
            or: [
                "account: \(account.label)",
                "to remove from \(place(client)): \(entries) entries, \(refreshTokens) of them refresh tokens",
            ] + files.map { "token file to remove: \($0.path)" } + ["nothing was changed"])
        return true
    }

    /// The client that loses the account, as text.
    func place(_ client: ClientChoice) -> String { wipe ? "every client" : client.name }

    /// - Throws: `cancelled` if the user declines, asked at a terminal if the name is only the beginning of one.
    func confirm(_ name: String, _ session: CommandContext, _ target: RemovalTarget) async throws(Failure) {
        guard !yes, Agreement.canAsk(session.output), !target.account.isNamedNow(by: name) else { return }
        guard
            await Agreement.isGiven(
                to: "Sign \(target.account.label) out of \(place(target.client))?", session.output)
        else { throw Failure(.cancelled, "nothing was changed") }
    }

    /// - Returns: whether `--from` names a store; the account is then removed from it.
    func removeFromOtherStore(_ name: String, _ session: CommandContext) async throws(Failure) -> Bool {
        guard let from else { return false }
        try await OtherStoreRemoval(
            session: session, store: from, name: name, isAgreed: yes, onlyShows: onlyShows
        ).run()
        return true
    }
}

/// An account that a command removes, and the client that loses it.
struct RemovalTarget {
    let client: ClientChoice
    let account: Account

    var signIn: SignIn { SignIn(account: account.id, clientID: client.clientID) }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account from one client (offline)",
        discussion: "Other clients keep their tokens, and the browser session is kept. No server is contacted.")
    @Argument(help: "Username, home account id, or an unambiguous prefix", completion: .known(.accounts))
    var name: String
    @OptionGroup var removal: RemovalOptions
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if removal.from != nil, removal.wipe { throw ValidationError("--from and --wipe cannot be used together") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if try await removal.removeFromOtherStore(name, session) { return }
        let target = try await removal.targetOrSweep(name, session)
        if try await removal.show(session, target) { return }
        let (client, account) = (target.client, target.account)
        let application = try session.application(client)
        let count = try await application.remove(account, wipe: removal.wipe)
        let files = await session.removeTokenFiles(of: account)
        session.output.result(
            JSONValue(
                ("removed", account.json), ("clientId", client.clientID.json),
                ("entries", JSONValue(integer: count)), ("tokenFilesRemoved", TokenFileRemoval.json(files))),
            or: [
                removal.wipe
                    ? "removed \(account.label) from every client (\(count) entries); the browser session is kept"
                    : """
                    removed \(account.label) from \(client.name) (\(count) entries); other clients and the browser \
                    session are kept
                    """
            ] + TokenFileRemoval.lines(files))
        _ = try files.get()
    }
}

/// The report of `foyer remove` and `foyer sign-out` about the account's token files.
enum TokenFileRemoval {
    static func lines(_ removed: Result<Int, Failure>) -> [String] {
        guard case .success(let count) = removed, count > 0 else { return [] }
        return ["token files removed: \(count)"]
    }

    /// Null if a file may be left; the error says so.
    static func json(_ removed: Result<Int, Failure>) -> JSONValue {
        guard case .success(let count) = removed else { return .null }
        return JSONValue(integer: count)
    }
}

extension CommandContext {
    /// - Returns: the number of token files removed of a signed-out account; a failure if one may still hold a token.
    func removeTokenFiles(of account: Account) async -> Result<Int, Failure> {
        await Result.of { () throws(Failure) in
            do throws(Failure) {
                return try await TokenFileUpdate.removeTokens(ofSignedOut: account.homeAccountID, environment)
            } catch {
                var failure = error
                failure.code = .storeError
                failure.message =
                    "\(account.label) is removed, but its token files could not be removed: \(error.message)"
                failure.hint = "\"foyer token-file list\" lists them"
                throw failure
            }
        }
    }
}
