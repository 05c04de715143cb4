import AppModel
import CommandSupport
import Identity
import SilentCore
import Synchronization
import TokenCache

/// Reads the stores for the interface: foyer's own, and other programs' as last read. Reports the content by ``send``.
@MainActor
final class StoreReader {
    private struct ReadContext: Sendable {
        let session: CommandContext
        let store: TokenCache
        let clients: InterfaceClients
        let clientName: @Sendable (String) -> String
    }

    private struct Sent: Sendable {
        let reading: StoreReading
        let list: AccountList
        /// Counts changes of the list's other inputs.
        let revision: Int
    }

    /// Frees its value on the calling thread.
    private final class Deferred: Sendable {
        private let value: Mutex<Sent?>

        init(_ value: Sent) { self.value = Mutex(value) }

        func free() { value.withLock { $0 = nil } }
    }

    private struct Others: Sendable {
        var accounts: [AccountOverview] = []
        var lenders: [StoreProbe] = []
    }

    let store: TokenCache
    var send: @Sendable (Message) -> Void = { _ in }
    var clientName: @Sendable (String) -> String = { $0 }
    /// Can change while the interface is open.
    var session: CommandContext { didSet { revision += 1 } }
    private let clients: InterfaceClients
    private var others = Others()
    private var revision = 0
    private var begun = 0
    /// Number of the latest reported reading.
    private var latest = 0
    private var told: Sent?
    /// The previous list: freeing ten thousand accounts would delay a key, so the next reading does it.
    private var retired: Deferred?
    private var rereading: Task<Void, Never>?

    init(_ session: CommandContext, _ store: TokenCache, _ clients: InterfaceClients) {
        (self.session, self.store, self.clients) = (session, store, clients)
    }

    private var readers: ReadContext {
        ReadContext(session: session, store: store, clients: clients, clientName: clientName)
    }

    /// Reads the store right away, without waiting for a writer: only for the first frame. Nil if that is not possible.
    func loadNow() -> Message? {
        // The first frame does not wait for a keyring, which is another process, or for a large file: an empty list
        // comes first, and keys already work.
        guard store.spec?.kind != .keyring, !store.isLarge,
            let snapshot = try? store.withoutWaiting.read()
        else { return nil }
        let overviews = snapshot.overviews(clientID: nil)
        return .loaded(Self.told(.whole(snapshot), overviews, others, readers, revision).list)
    }

    /// Reports the current content of foyer's own store, with the other stores as last read.
    func reload() async {
        var began: Int
        var number: Int
        var result: Result<Sent, StoreError>
        // Results with outdated inputs must not replace newer ones.
        repeat {
            began = revision
            begun += 1
            number = begun
            let (readers, others, known, old, began) = (readers, others, told, retired, began)
            result = await BlockingExecutor.run {
                old?.free()
                // An unchanged large store is not read again.
                if let known, known.revision == began, readers.store.isCurrent(known.reading) { return .success(known) }
                do throws(StoreError) {
                    let (reading, overviews) = try readers.store.reading()
                    return .success(Self.told(reading, overviews, others, readers, began))
                } catch { return .failure(error) }
            }
        } while began != revision
        // Older results of a slow reading must not replace newer ones.
        guard number > latest else { return }
        latest = number
        switch result {
        case .success(let read):
            if case .indexed(let index) = read.reading {
                index.onChange { [weak self] in Task { await self?.rereadSoon() } }
                if let before = told, !before.list.isSameReading(as: read.list) { retired = Deferred(before) }
                told = read
            } else {
                told = nil
            }
            send(.loaded(read.list))
        case .failure(let error):
            // An index holds accounts of the store.
            told = nil
            guard case .passphraseNeeded = error.situation else {
                return send(.storeFailed(message: error.message, hint: error.hint?.words))
            }
            let command = "foyer store unlock" + session.storeOptions
            send(
                .storeLocked(
                    message: "\(store.path) is locked",
                    hint: "to open it, run in another terminal: \(command)"))
        }
    }

    /// After an in-place change, the old index cannot read the file.
    private func rereadSoon() {
        rereading?.cancel()
        rereading = Task { [weak self] in await self?.reload() }
    }

    /// The entries of the credential's owner as last read; nil if the whole store must be read instead.
    func snapshot(of credential: CachedCredential) -> CacheSnapshot? {
        guard case .indexed = told?.reading, let reading = told?.reading, store.isCurrent(reading),
            let home = credential.homeAccountID
        else { return nil }
        let account = AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer)
        return reading.snapshot(of: account, byIssuer: false)
    }

    /// Reads other programs' stores, and reports them if the screens change.
    func readOtherStores() async {
        let session = session
        // None if the search fails: invalid settings are reported where they are read.
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
        _ reading: StoreReading, _ overviews: [AccountOverview], _ others: Others, _ readers: ReadContext,
        _ revision: Int
    ) -> Sent {
        let planner = SilentCallPlanner(
            readers.clients, reading, SideFiles(of: readers.store), others.lenders,
            clientName: readers.clientName)
        let list = AccountList(
            others.accounts.isEmpty ? overviews : overviews + others.accounts, clientName: readers.clientName,
            uses: readers.clients.read(overviews),
            planner: CallPlanner(
                considered: { planner.considered(for: $0, $1, at: $2) }, { planner.call(for: $0, $1, at: $2) }))
        return Sent(reading: reading, list: list, revision: revision)
    }
}
