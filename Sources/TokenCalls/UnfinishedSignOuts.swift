import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import TokenCache

extension CommandContext {
    /// Tries the unfinished sign-outs of foyer's own store again, one after the other: only revocation is left of them.
    /// One whose person has signed in again by the same client waits for the next sign-out, as many providers would end
    /// the new sign-in too.
    ///
    /// - Returns: the numbers of those that have ended, and of those that still wait for their provider.
    package func finishSignOuts() async -> (finished: Int, waiting: Int) {
        guard let cache = try? cache(try clientIfAny()), let snapshot = try? cache.read() else { return (0, 0) }
        let known = KnownClients(settings, uses: snapshot.allUses)
        let accounts = snapshot.accounts()
        var tried: Set<SignIn> = []
        var finished = 0
        var waiting = 0
        for pending in snapshot.pendingRevocations() {
            guard !Task.isCancelled, tried.insert(pending.signIn).inserted,
                snapshot.isSigningOut(pending.account, clientID: pending.use.clientID),
                let account = accounts.first(where: { $0.id == pending.account }),
                let application = try? application(known.choice(of: pending.use), cache: cache)
            else { continue }
            let outcome = await Result.of { () throws(Failure) in
                try await application.signOut(
                    account, options: SignOutOptions(endsBrowserSession: false), userAgents: .deviceCodeOnly)
            }
            await application.close()
            if case .success(let outcome) = outcome, outcome.isFinished { finished += 1 } else { waiting += 1 }
        }
        return (finished, waiting)
    }

    /// The path of the file whose changes may bring an unfinished sign-out; nil without one.
    package var pathOfSignOuts: String? { try? storeSpec(try clientIfAny()).path }
}
