package import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import TokenCache

/// The sign-outs in foyer's own store whose providers could not be reached.
package struct UnfinishedSignOuts: Sendable {
    private let session: CommandContext

    package init(_ session: CommandContext) { self.session = session }

    /// The path of the store, whose changes may bring another one; nil without a file.
    package var path: String? { try? session.storeSpec(try session.clientIfAny()).path }

    /// Tries them again, one after the other: only revocation is left of them. One whose person has signed in again by
    /// the same client waits for the next sign-out, as many providers would end the new sign-in too.
    ///
    /// - Returns: the numbers of those that have ended, and of those that still wait for their provider.
    package func finish() async -> (finished: Int, waiting: Int) {
        guard let cache = try? session.cache(try session.clientIfAny()), let snapshot = try? cache.read() else {
            return (0, 0)
        }
        let known = KnownClients(session.settings, uses: snapshot.allUses)
        let accounts = snapshot.accounts()
        var tried: Set<SignIn> = []
        var finished = 0
        var waiting = 0
        for pending in snapshot.pendingRevocations() {
            guard !Task.isCancelled, tried.insert(pending.signIn).inserted,
                snapshot.isSigningOut(pending.account, clientID: pending.use.clientID),
                let account = accounts.first(where: { $0.id == pending.account }),
                let application = try? session.application(known.choice(of: pending.use), cache: cache)
            else { continue }
            let isFinished = try? await application.finishSignOut(account)
            await application.close()
            if isFinished == true { finished += 1 } else { waiting += 1 }
        }
        return (finished, waiting)
    }
}
