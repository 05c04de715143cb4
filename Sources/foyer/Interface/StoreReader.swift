import AppModel
import Glibc
import Identity
import SilentFirst
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
    var session: CommandContext
    private let clients: InterfaceClients
    private var others = Others()
    private var revision = 0
    private var begun = 0
    /// The latest reading that was told.
    private var latest = 0

    init(_ session: CommandContext, _ store: TokenCache, _ clients: InterfaceClients) {
        self.session = session
        self.store = store
        self.clients = clients
    }

    private var readers: Readers {
        Readers(session: session, store: store, clients: clients, clientName: clientName)
    }

    /// The store as it is, read on the spot and without waiting for a writer: only for the first frame. Nil when it has
    /// to be waited for.
    func loadNow() -> Message? {
        // A keyring is another process: it may take its time, and the first frame does not wait for it.
        guard store.spec?.kind != .keyring, !isLarge else { return nil }
        let message = Self.read(store.withoutWaiting, others, readers)
        guard case .loaded = message else { return nil }
        return message
    }

    /// Whether reading the store takes longer than a frame: then an empty list comes first, and keys are heard
    /// meanwhile.
    private var isLarge: Bool {
        var status = stat()
        return stat(store.path, &status) == 0 && status.st_size > 1 << 20
    }

    /// Tells what foyer's own store holds now, together with the others as they were looked at last.
    func reload() async {
        var told: Int
        var number: Int
        var message: Message
        // What was looked at meanwhile must not be covered by what was there before.
        repeat {
            told = revision
            begun += 1
            number = begun
            let (readers, others) = (readers, others)
            message = await BlockingExecutor.run { Self.read(readers.store, others, readers) }
        } while told != revision
        // Nor what was read later by what another reading, which took longer, found before.
        guard number > latest else { return }
        latest = number
        send(message)
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

    private nonisolated static func read(_ store: TokenCache, _ others: Others, _ readers: Readers) -> Message {
        do throws(StoreError) {
            let snapshot = try store.read()
            let planner = SilentCallPlanner(
                readers.session, readers.clients, snapshot, SideFiles(of: store), others.lenders,
                clientName: readers.clientName)
            return .loaded(
                AccountList(
                    snapshot.overviews(clientID: nil) + others.accounts, clientName: readers.clientName,
                    planner: CallPlanner { planner.call(for: $0, clientID: $1, at: $2) }))
        } catch { return .storeFailed(message: error.message, hint: error.hint?.words) }
    }
}
