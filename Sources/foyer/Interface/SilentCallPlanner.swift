import AppModel
import FoundationEssentials
import Identity
import SilentFirst
import Synchronization
import TokenCache

/// The clients of the interface, each made when it is first asked for: those that ask for tokens and those that only
/// plan to are the same.
final class InterfaceClients: Sendable {
    struct Entry: Sendable {
        let choice: ClientChoice
        /// The client's own authority.
        let authority: Authority
        let application: PublicClientApplication
    }

    private let session: CommandContext
    private let store: TokenCache
    private let provider: Provider
    private let entries = Mutex<[String: Entry]>([:])

    init(_ session: CommandContext, store: TokenCache, provider: Provider) {
        self.session = session
        self.store = store
        self.provider = provider
    }

    func entry(_ clientID: String) throws(Failure) -> Entry {
        if let known = entries.withLock({ $0[clientID] }) { return known }
        let choice =
            session.choices.first { $0.clientID == clientID } ?? ClientChoice(name: clientID, clientID: clientID)
        let entry = Entry(
            choice: choice, authority: try session.authority(choice),
            application: try session.application(choice, provider: provider, cache: store))
        entries.withLock { $0[clientID] = entry }
        return entry
    }
}

/// Plans the silent calls of Enter from one reading of the stores, with the decision that the call itself makes. Opens
/// no file: it is asked while a frame is drawn.
final class SilentCallPlanner: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let clientID: String
    }

    private struct Planned {
        let second: Int
        let call: PlannedCall
    }

    private let session: CommandContext
    private let clients: InterfaceClients
    private let snapshot: CacheSnapshot
    private let sideFiles: SideFiles
    private let lenders: [StoreProbe]
    private let clientName: @Sendable (String) -> String
    /// A frame asks several times, and every second there is a frame.
    private let last = Mutex<[Key: Planned]>([:])
    private let borrowed = Mutex<[Key: CacheSnapshot]>([:])

    /// - Parameter lenders: the other stores that a family refresh token may be borrowed from.
    init(
        _ session: CommandContext, _ clients: InterfaceClients, _ snapshot: CacheSnapshot, _ sideFiles: SideFiles,
        _ lenders: [StoreProbe], clientName: @escaping @Sendable (String) -> String
    ) {
        self.session = session
        self.clients = clients
        self.snapshot = snapshot
        self.sideFiles = sideFiles
        self.lenders = lenders
        self.clientName = clientName
    }

    func call(for account: Account, clientID: String, at now: Date) -> PlannedCall {
        let key = Key(account: account.id, clientID: clientID)
        let second = Int(now.timeIntervalSince1970.rounded(.down))
        if let planned = last.withLock({ $0[key] }), planned.second == second { return planned.call }
        let call = plan(account, clientID, now)
        // Only the account that is looked at is asked about: what was asked about before is of no use.
        last.withLock { $0 = [key: Planned(second: second, call: call)] }
        return call
    }

    private func plan(_ account: Account, _ clientID: String, _ now: Date) -> PlannedCall {
        do throws(Failure) {
            let client = try clients.entry(clientID)
            let snapshot = try snapshot(for: client.choice, account)
            let asked = Authority.toAsk(
                for: account, configured: client.authority,
                issuer: client.application.configuration.issuer(of: client.authority))
            let request = session.request(
                TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered), for: account, at: asked,
                client.choice, in: snapshot)
            let decision = client.application.decision(on: request, from: snapshot, beside: sideFiles, at: now)
            let words = decision.words(at: now, clientID: clientID, clientName: clientName)
            return PlannedCall(clientID: clientID, request: request, words: words)
        } catch {
            return PlannedCall(
                clientID: clientID,
                request: TokenRequest(scopes: [], account: account, correlationID: TokenRequest.unnumbered),
                words: "fails: " + error.message)
        }
    }

    /// The store as the call would find it: with a family refresh token of another program's, where the settings allow
    /// that.
    private func snapshot(for client: ClientChoice, _ account: Account) throws(Failure) -> CacheSnapshot {
        guard session.settings.familyOfOtherStores.serves(client) else { return snapshot }
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
}
