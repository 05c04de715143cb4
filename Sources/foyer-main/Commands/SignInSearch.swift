import CommandSupport
import Identity
import SilentCore
import TokenCache

/// Finds the sign-in that a command is to end: by account, client and provider together.
struct SignInSearch {
    private let session: CommandContext
    private let snapshot: CacheSnapshot
    let known: KnownClients

    init(_ session: CommandContext, _ snapshot: CacheSnapshot) {
        (self.session, self.snapshot) = (session, snapshot)
        known = KnownClients(session.settings, uses: snapshot.allUses)
    }

    /// All accounts; with `--authority` or `FOYER_AUTHORITY`, only those of that provider.
    var accounts: [Account] {
        get throws(Failure) {
            let all = snapshot.accounts(clientID: nil)
            guard session.shared.authority ?? session.world.authority != nil else { return all }
            var found: [Account] = []
            for account in all {
                guard let use = uses(of: account).first else { continue }
                if try isOfProvider(account, known.choice(of: use)) { found.append(account) }
            }
            return found
        }
    }

    /// The accounts that a client holds at its provider, or whose sign-out waits for it.
    ///
    /// - Parameter wipes: whether other clients' accounts there count, too.
    func accounts(of client: ClientChoice, wipes: Bool) throws(Failure) -> [Account] {
        let cached = try session.cachedClient(client, cache: session.cacheForLooking(client))
        let held = snapshot.accounts(clientID: wipes ? nil : client.clientID)
        let leaving = wipes ? [] : snapshot.accountsSigningOut(clientID: client.clientID)
        return (held + leaving).filter { cached.isOfProvider($0, at: cached.configuration.authority, in: snapshot) }
    }

    private func isOfProvider(_ account: Account, _ client: ClientChoice) throws(Failure) -> Bool {
        let cached = try session.cachedClient(client, cache: session.cacheForLooking(client))
        return cached.isOfProvider(account, at: cached.configuration.authority, in: snapshot)
    }

    func uses(of account: Account) -> [ClientUse] { known.uses(of: account, in: snapshot) }

    /// The names of the clients by which accounts have signed in last, one for each.
    func clients(of accounts: [Account]) -> [String] {
        accounts.compactMap { uses(of: $0).first }.map(known.name(of:))
    }

    /// For a name that no account of the client at its provider has.
    func failure(naming name: String, _ client: ClientChoice) -> Failure {
        let elsewhere = snapshot.accounts(clientID: nil).meant(by: name)
        let provider = (try? session.authority(client))?.provider ?? client.name
        guard !elsewhere.isEmpty else {
            do throws(Failure) {
                _ = try AccountChoice.find(name, among: [])
                return Refusal.noAccount(name, client: client.name, signIn: false).failure
            } catch { return error }
        }
        guard !elsewhere.contains(where: { (try? isOfProvider($0, client)) ?? false }) else {
            return Failure(
                .notFound, "\(name) has not signed in by \(client.name)",
                hint: .text(
                    "name the client: "
                        + clients(of: elsewhere).map { "--client \($0.shellWord)" }.joined(separator: " or ")))
        }
        return Refusal.ofOtherProvider(
            name, client: client.name, provider: provider, others: elsewhere.map(\.provider),
            clients: clients(of: elsewhere)
        ).failure
    }
}
