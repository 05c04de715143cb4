import AppModel
import CommandSupport
import Identity
import SilentFirst
import Synchronization
import TokenCache

/// Reads the stores for the interface: foyer's own, and other programs' as they were when they were last looked at.
/// Tells by ``send`` what is there.
@MainActor
final class StoreReader {
    /// What the readings have in common.
    private struct Readers: Sendable {
        let session: CommandContext
        let store: TokenCache
        let clients: InterfaceClients
        let clientName: @Sendable (String) -> String
    }

    /// What was read, and what was told of it.
    private struct Told: Sendable {
        let reading: StoreReading
        let list: AccountList
        /// Of what else the list depends on.
        let revision: Int
    }

    /// Frees what it holds on the thread that asks for it.
    private final class Retired: Sendable {
        private let value: Mutex<Told?>

        init(_ value: Told) { self.value = Mutex(value) }

        func free() { value.withLock { $0 = nil } }
    }

    /// Other programs' stores, as they were at one moment.
    private struct Others: Sendable {
        var accounts: [AccountOverview] = []
        /// Whence family refresh tokens may be borrowed.
        var lenders: [StoreProbe] = []
    }

    let store: TokenCache
    var send: @Sendable (Message) -> Void = { _ in }
    /// The name for a client's identifier, as the screens know it.
    var clientName: @Sendable (String) -> String = { $0 }
    /// The settings may change while the interface is open.
    var session: CommandContext { didSet { revision += 1 } }
    private let clients: InterfaceClients
    private var others = Others()
    private var revision = 0
    private var begun = 0
    /// The latest reading that was told.
    private var latest = 0
    private var told: Told?
    /// The list before: to free ten thousand accounts takes longer than a key may, so the next reading does it.
    private var retired: Retired?
    private var rereading: Task<Void, Never>?

    init(_ session: CommandContext, _ store: TokenCache, _ clients: InterfaceClients) {
        (self.session, self.store, self.clients) = (session, store, clients)
    }

    private var readers: Readers { Readers(session: session, store: store, clients: clients, clientName: clientName) }

    /// The store as it is, read on the spot and without waiting for a writer: only for the first frame. Nil when it has
    /// to be waited for.
    func loadNow() -> Message? {
        // A keyring is another process: it may take its time, and the first frame does not wait for it. Nor for a large
        // file: an empty list comes first then, and keys are heard meanwhile.
        guard store.spec?.kind != .keyring, !store.isLarge,
            let snapshot = try? store.withoutWaiting.read()
        else { return nil }
        let overviews = snapshot.overviews(clientID: nil)
        return .loaded(Self.told(.whole(snapshot), overviews, others, readers, revision).list)
    }

    /// Tells what foyer's own store holds now, together with the others as they were looked at last.
    func reload() async {
        var began: Int
        var number: Int
        var result: Result<Told, StoreError>
        // What was looked at meanwhile must not be covered by what was there before.
        repeat {
            began = revision
            begun += 1
            number = begun
            let (readers, others, known, old, began) = (readers, others, told, retired, began)
            result = await BlockingExecutor.run {
                old?.free()
                // A large store that is what it was is not read again.
                if let known, known.revision == began, readers.store.isCurrent(known.reading) { return .success(known) }
                do throws(StoreError) {
                    let (reading, overviews) = try readers.store.reading()
                    return .success(Self.told(reading, overviews, others, readers, began))
                } catch { return .failure(error) }
            }
        } while began != revision
        // Nor what was read later by what another reading, which took longer, found before.
        guard number > latest else { return }
        latest = number
        switch result {
        case .success(let read):
            if case .indexed(let index) = read.reading {
                index.onChange { [weak self] in Task { await self?.rereadSoon() } }
                if let before = told, !before.list.isSameReading(as: read.list) { retired = Retired(before) }
                told = read
            } else {
                told = nil
            }
            send(.loaded(read.list))
        case .failure(let error):
            send(.storeFailed(message: error.message, hint: error.hint?.words))
        }
    }

    /// A file that was changed in place cannot be read by its old index.
    private func rereadSoon() {
        rereading?.cancel()
        rereading = Task { [weak self] in await self?.reload() }
    }

    /// What the store holds of whom a credential belongs to, as it was read last; nil when the whole store is to be
    /// read for that.
    func snapshot(of credential: CachedCredential) -> CacheSnapshot? {
        guard case .indexed = told?.reading, let reading = told?.reading, store.isCurrent(reading),
            let home = credential.homeAccountID
        else { return nil }
        let account = AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer)
        return reading.snapshot(of: account, byIssuer: false)
    }

    /// Looks at other programs' stores, and tells when what the screens show of them is not what it was.
    func lookAtOthers() async {
        let session = session
        // None when they cannot be looked for: that the settings are wrong is told where they are read.
        let found = await BlockingExecutor.run {
            let lends = session.settings.familyOfOtherStores != .never
            let stores = (try? session.storesElsewhere(readsHidden: lends)) ?? []
            return Others(accounts: session.accounts(in: stores), lenders: lends ? stores : [])
        }
        let isSame = found.accounts == others.accounts && found.lenders.isEmpty && others.lenders.isEmpty
        guard !isSame else { return }
        others = found
        revision += 1
        await reload()
    }

    private nonisolated static func told(
        _ reading: StoreReading, _ overviews: [AccountOverview], _ others: Others, _ readers: Readers, _ revision: Int
    ) -> Told {
        let planner = SilentCallPlanner(
            readers.clients, reading, SideFiles(of: readers.store), others.lenders,
            clientName: readers.clientName)
        let list = AccountList(
            others.accounts.isEmpty ? overviews : overviews + others.accounts, clientName: readers.clientName,
            planner: CallPlanner(
                considered: { planner.considered(for: $0, clientID: $1, at: $2) },
                { planner.call(for: $0, clientID: $1, at: $2) }))
        return Told(reading: reading, list: list, revision: revision)
    }
}
