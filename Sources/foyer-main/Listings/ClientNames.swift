import CommandSupport
import Identity

/// The names of clients in a list of cached entries. Where several names share a client ID, it is the one by which the
/// account has signed in.
final class ClientNames {
    private let session: CommandContext
    private let known: KnownClients
    /// IDs with several names, or with a name that only a sign-in tells.
    private let shared: Set<String>
    private let accounts: [AccountID: AccountOverview]
    private var uses: [AccountID: [ClientUse]] = [:]

    init(_ session: CommandContext, _ overviews: [AccountOverview]) {
        self.session = session
        known = KnownClients(session.settings, uses: overviews.flatMap(\.uses))
        let names = Dictionary(
            grouping: session.settings.clients.map { ($0.clientID, $0.name) }
                + known.signedIn.map { ($0.clientID, $0.name) }, by: { $0.0.asciiLowercased })
        let signedIn = Set(known.signedIn.map { $0.clientID.asciiLowercased })
        let shared = Set(names.filter { $0.value.count > 1 || signedIn.contains($0.key) }.keys)
        self.shared = shared
        accounts =
            shared.isEmpty
            ? [:] : Dictionary(overviews.map { ($0.account.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter realm: of the entry; empty if it has none.
    func name(of clientID: String, _ account: AccountID?, in realm: String) -> String {
        guard shared.contains(clientID.asciiLowercased), let account, let overview = accounts[account] else {
            return session.clientName(clientID)
        }
        let all = uses[account] ?? known.rows(of: overview)
        uses[account] = all
        let own = all.filter { ClientID.isSame($0.clientID, clientID) }
        let here = own.first { !realm.isEmpty && $0.directory.asciiLowercased == realm.asciiLowercased }
        return (here ?? own.first)?.shownName ?? session.clientName(clientID)
    }

    func name(of credential: CachedCredential) -> String {
        let owner = credential.homeAccountID.map {
            AccountID(homeAccountID: $0, environment: credential.environment, issuer: credential.issuer)
        }
        return name(of: credential.clientID, owner, in: credential.realm)
    }
}
