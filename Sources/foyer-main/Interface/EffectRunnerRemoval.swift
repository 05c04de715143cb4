import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import TokenCache
import TokenCalls

extension EffectRunner {
    func remove(_ account: Account, _ use: ClientUse, _ choices: RemovalChoices, _ id: RequestID) {
        let keep: @MainActor @Sendable (RemovedEntries) -> Void = { [weak self] in self?.removedEntries[id] = $0 }
        start(id, use) { [session] application, send throws(Failure) in
            let (count, entries) = try await application.removeKeepingEntries(account, wipe: choices.wipes)
            if let entries {
                await keep(entries)
                send(.undoable(UndoableRemoval(id, account: account.label, use)))
            }
            await session.removeTokenFiles(of: account, send)
            send(.reply(.removed(count), id))
        }
    }

    func restore(_ removal: UndoableRemoval, _ id: RequestID) {
        guard let entries = removedEntries[removal.removal] else { return }
        let forget: @MainActor @Sendable () -> Void = { [weak self] in self?.removedEntries[removal.removal] = nil }
        start(id, removal.use) { application, send async throws(Failure) in
            do throws(Failure) {
                try await application.restore(entries)
                await forget()
                send(.notice("restored \(removal.account)"))
            } catch {
                // The store may only be locked or full: the undo is offered again.
                send(.undoable(removal))
                send(.notice("\(removal.account) was not restored: \(error.message)"))
            }
        }
    }

    func signOut(_ account: Account, _ use: ClientUse, _ choices: RemovalChoices, _ id: RequestID) {
        var agents = userAgents(id)
        let (browser, send) = (browser, send)
        agents.openBrowser = { address throws(BrowserProblem) in
            try await browser.openAndWait(address) {
                send(.reply(.step(Step(.endSession, .waiting, "for the browser to open the sign-out page")), id))
            }
        }
        let leaving = agents
        let options = SignOutOptions(
            wipe: choices.wipes, revokesAccessTokens: choices.revokesAccessTokens,
            revokesAsLeaked: choices.revokesAsLeaked, endsBrowserSession: choices.endsBrowserSession)
        start(id, use) { [session] application, send throws(Failure) in
            let outcome = try await application.signOut(account, options: options, userAgents: leaving) {
                send(.reply(.step($0), id))
            }
            await session.removeTokenFiles(of: account, send)
            send(.reply(.signedOut(outcome), id))
        }
    }

    /// Tries sign-outs again that did not reach their provider. In a large store it is left to the agent and to `o`, as
    /// it would be read once more.
    func finishSignOuts() {
        guard !reader.store.isLarge else { return }
        let (session, send) = (session, send)
        aside {
            let (finished, _) = await BlockingExecutor.run { await UnfinishedSignOuts(session).finish() }
            if finished > 0 { send(.notice(counted(finished, "sign-out") + " finished")) }
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
                    try session.remove(account, from: session.finding(other.name))
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
    /// For the interface, which continues after a failure.
    func removeTokenFiles(of account: Account, _ send: @Sendable (Message) -> Void) async {
        let removed = await removeTokenFiles(of: account)
        if let line = TokenFileRemoval.lines(removed).first { send(.notice(line)) }
        if case .failure(let failure) = removed { send(.notice(failure.message)) }
    }
}
