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
        var entries: [ClientUse: Entry] = [:]
        /// The clients of the sign-ins in the store, as last read.
        var clients: KnownClients
    }

    private let store: TokenCache
    private let provider: Provider
    private let state: Mutex<Known>

    init(_ session: CommandContext, store: TokenCache, provider: Provider) {
        state = Mutex(Known(session: session, clients: KnownClients(session.settings, uses: [])))
        self.store = store
        self.provider = provider
    }

    /// The client of a sign-in, at the authority where it was made; else at the client's own.
    func entry(_ use: ClientUse) throws(Failure) -> Entry {
        if let entry = state.withLock({ $0.entries[use] }) { return entry }
        let now = state.withLock { $0 }
        let session = now.session
        let choice = choice(of: use, now)
        let authority: Authority
        if let named = use.authority {
            do { authority = try Authority(named, kind: use.kind) } catch {
                throw Refusal.badAuthority(named, why: "\(error)").failure
            }
        } else {
            authority = try session.authority(choice)
        }
        let made = Entry(
            choice: choice, authority: authority,
            application: try session.application(choice, at: authority, provider: provider, cache: store),
            resolved: Result { () throws(Refusal) in try ResolvedClient(TokenQuery(session.shared), session.world) })
        // A client created with outdated settings is not stored.
        state.withLock { if $0.revision == now.revision { $0.entries[use] = made } }
        return made
    }

    /// For a request that names a client without an account.
    func entry(_ clientID: String, at authority: Authority? = nil) throws(Failure) -> Entry {
        try entry(ClientUse(clientID: clientID, authority: authority?.address.text, kind: authority?.kind))
    }

    private func choice(of use: ClientUse, _ known: Known) -> ClientChoice {
        guard use.authority == nil else { return known.clients.choice(of: use) }
        let own = known.session.choices.filter { ClientID.isSame($0.clientID, use.clientID) }
        return own.first { $0.name == use.name } ?? own.first
            ?? ClientChoice(name: use.plainName, clientID: use.clientID)
    }

    /// - Parameter overviews: the store's accounts.
    /// - Returns: how they can be used, each use with the name that is shown for it.
    func read(_ overviews: [AccountOverview]) -> @Sendable (AccountOverview) -> [ClientUse] {
        let clients = state.withLock { known in
            known.clients = KnownClients(known.session.settings, uses: overviews.flatMap(\.uses))
            return known.clients
        }
        return { overview in clients.rows(of: overview) }
    }

    func use(_ session: CommandContext) {
        state.withLock {
            $0 = Known(
                session: session, revision: $0.revision + 1, clients: KnownClients(session.settings, uses: []))
        }
    }

    var session: CommandContext { state.withLock { $0.session } }

    /// The clients of the sign-ins in the store, as last read.
    var known: KnownClients { state.withLock { $0.clients } }

    var revision: Int { state.withLock { $0.revision } }
}

/// Plans the silent calls of Enter from one reading of the stores, with the decision that the call itself makes. It is
/// called while a frame is drawn: in a large store it only reads one account's entries, from an open file.
final class SilentCallPlanner: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let use: ClientUse
    }

    private struct Planned {
        let call: PlannedCall
        let at: Date
        let revision: Int
    }

    let clients: InterfaceClients
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
    func call(for account: Account, _ use: ClientUse, at now: Date) -> PlannedCall {
        let key = Key(account: account.id, use: use)
        let revision = clients.revision
        if let planned = known.withLock({ $0[key] }), planned.revision == revision,
            Self.second(planned.at) == Self.second(now)
        {
            return planned.call
        }
        let call = plan(account, use, now)
        known.withLock {
            // No screen has more rows.
            if $0.count >= 1000 { $0 = [:] }
            $0[key] = Planned(call: call, at: now, revision: revision)
        }
        return call
    }

    private static func second(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.down)) }

    /// The credentials that the call considers; empty without a decision.
    func considered(for account: Account, _ use: ClientUse, at now: Date) -> [CandidateLine] {
        guard let decision = try? decide(account, use, now).decision else { return [] }
        return decision.consideredLines(at: now, clientID: use.clientID, clientName: clientName)
    }

    private func decide(_ account: Account, _ use: ClientUse, _ now: Date) throws(Failure)
        -> (request: TokenRequest, decision: SilentDecision)
    {
        let client = try clients.entry(use)
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

    private func plan(_ account: Account, _ use: ClientUse, _ now: Date) -> PlannedCall {
        do throws(Failure) {
            let (request, decision) = try decide(account, use, now)
            let words = decision.words(at: now, clientID: use.clientID, clientName: clientName)
            return PlannedCall(
                use: use, request: request, words: words, status: decision.status,
                cause: decision.failure?.message)
        } catch {
            let request = TokenRequest(scopes: [], account: account, correlationID: TokenRequest.unnumbered)
            return PlannedCall(use: use, request: request, words: "fails: " + error.message, status: .blocked)
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
        let key = Key(account: account.id, use: ClientUse(clientID: client.clientID, name: client.name))
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
