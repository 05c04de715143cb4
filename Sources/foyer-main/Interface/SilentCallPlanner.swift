import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import Synchronization
import TokenCache
import TokenCalls

/// The clients of the interface, each created on first use and shared by token calls and by planning.
final class InterfaceClients: Sendable {
    struct Entry: Sendable {
        let choice: ClientChoice
        /// The client's own authority.
        let authority: Authority
        let application: PublicClientApplication
        /// From the interface's own options; no program's request.
        let resolved: Result<ResolvedClient, Refusal>
    }

    private struct Known {
        var session: CommandContext
        /// How often the settings have changed.
        var revision = 0
        var entries: [String: Entry] = [:]
    }

    private let store: TokenCache
    private let provider: Provider
    private let known: Mutex<Known>

    init(_ session: CommandContext, store: TokenCache, provider: Provider) {
        known = Mutex(Known(session: session))
        self.store = store
        self.provider = provider
    }

    func entry(_ clientID: String) throws(Failure) -> Entry {
        if let entry = known.withLock({ $0.entries[clientID] }) { return entry }
        let now = known.withLock { $0 }
        let session = now.session
        let choice =
            session.choices.first { $0.clientID == clientID } ?? ClientChoice(name: clientID, clientID: clientID)
        let made = Entry(
            choice: choice, authority: try session.authority(choice),
            application: try session.application(choice, provider: provider, cache: store),
            resolved: Result { () throws(Refusal) in try ResolvedClient(TokenQuery(session.shared), session.world) })
        // A client created with outdated settings is not stored.
        known.withLock { if $0.revision == now.revision { $0.entries[clientID] = made } }
        return made
    }

    func use(_ session: CommandContext) { known.withLock { $0 = Known(session: session, revision: $0.revision + 1) } }

    var session: CommandContext { known.withLock { $0.session } }

    var revision: Int { known.withLock { $0.revision } }
}

/// Plans the silent calls of Enter from one reading of the stores, with the decision that the call itself makes. It is
/// called while a frame is drawn: in a large store it only reads one account's entries, from an open file.
final class SilentCallPlanner: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let clientID: String
    }

    private struct Planned {
        let call: PlannedCall
        let at: Date
        let revision: Int
    }

    private let clients: InterfaceClients
    private let reading: StoreReading
    private let sideFiles: SideFiles
    private let lenders: [StoreProbe]
    private let clientName: @Sendable (String) -> String
    /// A frame needs each plan several times, and there is a frame every second.
    private let known = Mutex<[Key: Planned]>([:])
    private let borrowed = Mutex<[Key: CacheSnapshot]>([:])

    /// - Parameter lenders: other stores from which a family refresh token can be borrowed.
    init(
        _ clients: InterfaceClients, _ reading: StoreReading, _ sideFiles: SideFiles,
        _ lenders: [StoreProbe], clientName: @escaping @Sendable (String) -> String
    ) {
        self.clients = clients
        self.reading = reading
        self.sideFiles = sideFiles
        self.lenders = lenders
        self.clientName = clientName
    }

    private var session: CommandContext { clients.session }

    /// The text has relative times, so it is recomputed each second.
    func call(for account: Account, clientID: String, at now: Date) -> PlannedCall {
        let key = Key(account: account.id, clientID: clientID)
        let revision = clients.revision
        if let planned = known.withLock({ $0[key] }), planned.revision == revision,
            Self.second(planned.at) == Self.second(now)
        {
            return planned.call
        }
        let call = plan(account, clientID, now)
        known.withLock {
            // No screen has more rows.
            if $0.count >= 1000 { $0 = [:] }
            $0[key] = Planned(call: call, at: now, revision: revision)
        }
        return call
    }

    private static func second(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.down)) }

    /// The credentials that the call considers; empty without a decision.
    func considered(for account: Account, clientID: String, at now: Date) -> [CandidateLine] {
        guard let decision = try? decide(account, clientID, now).decision else { return [] }
        return decision.consideredLines(at: now, clientID: clientID, clientName: clientName)
    }

    private func decide(_ account: Account, _ clientID: String, _ now: Date) throws(Failure)
        -> (request: TokenRequest, decision: SilentDecision)
    {
        let client = try clients.entry(clientID)
        let issuer = client.application.configuration.issuer(of: client.authority)
        let snapshot = try snapshot(for: client.choice, account, byIssuer: issuer != nil)
        let resolution: Resolution
        do throws(Refusal) {
            resolution = try Resolution(
                pointing: account, client.resolved.get(), client.choice,
                at: .toAsk(for: account, configured: client.authority, issuer: issuer), in: snapshot)
        } catch { throw error.failure }
        let request = resolution.request(TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered))
        return (request, client.application.cached.decision(on: request, from: snapshot, beside: sideFiles, at: now))
    }

    private func plan(_ account: Account, _ clientID: String, _ now: Date) -> PlannedCall {
        do throws(Failure) {
            let (request, decision) = try decide(account, clientID, now)
            let words = decision.words(at: now, clientID: clientID, clientName: clientName)
            return PlannedCall(
                clientID: clientID, request: request, words: words, status: decision.status,
                cause: decision.failure?.message)
        } catch {
            let request = TokenRequest(scopes: [], account: account, correlationID: TokenRequest.unnumbered)
            return PlannedCall(clientID: clientID, request: request, words: "fails: " + error.message, status: .blocked)
        }
    }

    /// The store as the call would find it: with a family refresh token of another program, if the settings allow it.
    private func snapshot(for client: ClientChoice, _ account: Account, byIssuer: Bool) throws(Failure)
        -> CacheSnapshot
    {
        let snapshot = reading.snapshot(of: account.id, byIssuer: byIssuer)
        guard session.settings.selects(client, session.settings.familyOfOtherStores),
            reading.holdsRefreshToken(clientID: client.clientID) != true
        else { return snapshot }
        let key = Key(account: account.id, clientID: client.clientID)
        if let known = borrowed.withLock({ $0[key] }) { return known }
        let loan = session.familyLoan(snapshot, client, from: { lenders }) { $0.id.isSamePerson(as: account.id) }
        let found: CacheSnapshot
        do throws(StoreError) {
            found = if let loan { try snapshot.with(loan.record) } else { snapshot }
        } catch { throw Failure(error) }
        borrowed.withLock { $0[key] = found }
        return found
    }

    /// For a command that only lists: the status of each account in foyer's own store, as in the interface.
    static func listing(_ session: CommandContext, _ client: ClientChoice?, _ reading: StoreReading)
        throws(Failure) -> SilentCallPlanner
    {
        let store = try session.cacheForLooking(client)
        let clients = InterfaceClients(session, store: store, provider: Provider(session.network()))
        return SilentCallPlanner(clients, reading, SideFiles(of: store), [], clientName: session.clientName)
    }
}
