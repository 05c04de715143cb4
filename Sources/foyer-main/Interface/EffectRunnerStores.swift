import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import TokenCache

// What the model asks of other programs' stores.
extension EffectRunner {
    nonisolated static func entry(_ credential: CachedCredential, _ store: String, _ session: CommandContext)
        -> String
    {
        do throws(Failure) {
            return try MaskedEntry.text(of: credential, in: session.finding(store).snapshot)
                ?? "the entry is no longer in the store"
        } catch { return error.message }
    }

    func lookForStores(_ id: RequestID) {
        let send = send
        tasks[id] = Task { [weak self] in
            guard let session = await self?.changedSession() else { return }
            do throws(Failure) {
                send(
                    .reply(
                        .stores(try await BlockingExecutor.run { () throws(Failure) in try session.storeLines() }), id))
            } catch {
                send(.reply(.failed(error), id))
                send(.notice("the stores cannot be looked for: \(error.message)"))
            }
            self?.forget(id)
        }
    }

    func remove(_ account: Account, from other: OtherStore, _ id: RequestID) {
        let send = send
        send(.reply(.began(at: Date(), correlationID: nil), id))
        let began = ContinuousClock.now
        tasks[id] = Task { [weak self] in
            guard let session = await self?.changedSession() else { return }
            do throws(Failure) {
                let removal = try await BlockingExecutor.run { () throws(Failure) in
                    try session.remove(account, fromStore: other.name)
                }
                await session.removeTokenFiles(of: account, send)
                send(.reply(.removedElsewhere(entries: removal.entries, subscriptions: removal.subscriptions), id))
            } catch { send(.reply(.failed(error), id)) }
            send(.reply(.ended(milliseconds: began.milliseconds), id))
            self?.forget(id)
        }
    }
}

extension CommandContext {
    /// The same for the interface, which goes on whatever becomes of it.
    func removeTokenFiles(of account: Account, _ send: @Sendable (Message) -> Void) async {
        do throws(Failure) {
            let lines = TokenFileRemoval.lines(try await removeTokenFiles(of: account))
            if let line = lines.first { send(.notice(line)) }
        } catch { send(.notice(error.message)) }
    }
}
