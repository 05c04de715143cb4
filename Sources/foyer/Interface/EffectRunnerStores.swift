import AppModel
import FoundationEssentials
import Identity
import TokenCache

// What the model asks of other programs' stores.
extension EffectRunner {
    nonisolated static func entry(_ credential: CachedCredential, _ store: String, _ session: CommandContext) async
        -> String
    {
        do throws(Failure) {
            return try MaskedEntry.text(of: credential, in: session.finding(store).snapshot)
                ?? "the entry is no longer in the store"
        } catch { return error.message }
    }

    /// Reads them, and tells when somebody is there who was not, or has gone.
    func lookAtOthers() async {
        let found = await Self.accountsElsewhere(session)
        guard found != others else { return }
        others = found
        othersRevision += 1
        await reload()
    }

    /// Tells what foyer's own store holds now, together with the others as they were looked at last.
    func reload() async {
        var revision = othersRevision
        var message = await Self.load(store, others, reading)
        // What was looked at meanwhile must not be covered by what was there before.
        while revision != othersRevision {
            revision = othersRevision
            message = await Self.load(store, others, reading)
        }
        send(message)
    }

    /// None when they cannot be looked for: that the settings are wrong is told where they are read.
    private nonisolated static func accountsElsewhere(_ session: CommandContext) async -> [AccountOverview] {
        (try? session.accountsElsewhere()) ?? []
    }

    func lookForStores(_ id: RequestID) {
        let (session, send) = (session, send)
        tasks[id] = Task { [weak self] in
            do throws(Failure) {
                send(.reply(.stores(try await Self.storeLines(session)), id))
            } catch {
                send(.reply(.failed(error), id))
                send(.notice("the stores cannot be looked for: \(error.message)"))
            }
            self?.forget(id)
        }
    }

    private nonisolated static func storeLines(_ session: CommandContext) async throws(Failure) -> [StoreLine] {
        try session.storeLines()
    }

    func remove(_ account: Account, from other: OtherStore, _ id: RequestID) {
        let (session, send) = (session, send)
        send(.reply(.began(at: Date(), correlationID: nil), id))
        let began = ContinuousClock.now
        tasks[id] = Task { [weak self] in
            do throws(Failure) {
                let removal = try await Self.remove(account, from: other, session)
                send(.reply(.removedElsewhere(entries: removal.entries, subscriptions: removal.subscriptions), id))
            } catch { send(.reply(.failed(error), id)) }
            send(.reply(.ended(milliseconds: began.milliseconds), id))
            self?.forget(id)
        }
    }

    private nonisolated static func remove(_ account: Account, from other: OtherStore, _ session: CommandContext)
        async throws(Failure)
        -> StoreProbe.RemovedCounts
    {
        try session.remove(account, fromStore: other.name)
    }
}
