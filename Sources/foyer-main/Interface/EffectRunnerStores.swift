import AppModel
import CommandSupport
import Identity
import TokenCache

extension EffectRunner {
    nonisolated static func entry(_ credential: CachedCredential, _ store: String, _ session: CommandContext)
        -> String
    {
        do throws(Failure) {
            return try MaskedEntry.text(of: credential, in: session.finding(store).snapshot)
                ?? "the entry is no longer in the store"
        } catch { return error.message }
    }

    func findStores(_ id: RequestID) {
        let send = send
        tasks[id] = Task { [weak self] in
            guard let session = await self?.changedSession() else { return }
            do throws(Failure) {
                send(
                    .reply(
                        .stores(try await BlockingExecutor.run { () throws(Failure) in try session.storeLines() }), id))
            } catch {
                send(.reply(.failed(error), id))
                send(.notice("cannot search for stores: \(error.message)"))
            }
            self?.forget(id)
        }
    }
}
