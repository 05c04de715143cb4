import FoundationEssentials
import Identity
import Keys

/// Asks before an account is removed. The safe answer is selected.
struct RemovalConfirmation: Feature {
    let kind: RemovalKind
    let account: Account
    /// How the account can be used, one for each client with tokens for it; one of them loses its tokens.
    let clients: [ClientUse]
    /// Nil for another program's store.
    let use: ClientUse?
    /// The other names of the same client ID, which lose their tokens too: they have one refresh token.
    let otherNames: [String]
    private(set) var choices = RemovalChoices()
    private(set) var question: Confirmation
    /// When this client's last issued access token expires.
    let accessTokensExpire: Date?
    /// The known server that the tokens are from.
    let server: KnownServer?
    /// Whether this client has no refresh token, so that access tokens are revoked instead.
    let hasAccessTokensOnly: Bool
    /// Another program's store to remove from; nil for foyer's own.
    let store: OtherStore?
    var scroll = 0

    /// From foyer's own store for a client, or from another program's for all of them.
    init(
        _ kind: RemovalKind, _ overview: AccountOverview, _ use: ClientUse? = nil, from store: OtherStore? = nil,
        in context: Context
    ) {
        (self.kind, self.store, self.use, account) = (kind, store, use, overview.account)
        let uses = context.accounts.rows(of: overview.account.id).compactMap(\.use)
        clients =
            store == nil
            ? uses.reduce(into: []) { kept, use in
                if !kept.contains(where: { ClientID.isSame($0.clientID, use.clientID) }) { kept.append(use) }
            } : []
        otherNames =
            use.map { use in
                uses.filter { ClientID.isSame($0.clientID, use.clientID) && $0.name != use.name }.map(\.shownName)
            } ?? []
        accessTokensExpire = overview.accessTokensExpire(after: context.now, clientID: use?.clientID)
        server = context.server(of: overview.account)
        let mine = overview.credentials.filter { held in
            use.map { ClientID.isSame(held.clientID, $0.clientID) } ?? false
        }
        hasAccessTokensOnly = !mine.contains { $0.kind == .refreshToken } && mine.contains { $0.kind == .accessToken }
        question = Confirmation(kind.verb)
    }

    // MARK: Keys

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .dialog, "Confirmation",
                [
                    KeyBinding([.enter, .character(" ")], .open, "choose", "press the selected button"),
                    KeyBinding([.character("y")], .yes, "yes", "confirm"),
                    KeyBinding([.character("w")], .toggleWipe, "", "all clients or this one"),
                    KeyBinding([.character("r")], .toggleAccessTokens, "", "also revoke access tokens"),
                    KeyBinding([.character("m")], .toggleLeaked, "", "revoke at GitHub as leaked tokens"),
                    KeyBinding([.character("b")], .toggleSession, "", "end or keep the browser session"),
                    KeyBinding([.character("n"), .escape, .character("q")], .no, "no", "cancel"),
                    .otherButton,
                    KeyBinding([.character("t")], .cycleClient, "client", "another client of the account"),
                    KeyBinding([.character("?"), .function(1)], .help, "help", "show keys"),
                ] + KeyBinding.scrolling)
        ]
    }

    var keyContext: KeyContext { .dialog }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .toggleWipe: store == nil
        case .toggleLeaked: kind == .signOut && store == nil && server?.revokesLeaked == true
        case .toggleAccessTokens, .toggleSession: kind == .signOut && store == nil
        case .cycleClient: clients.count > 1
        default: true
        }
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch question.answer(to: event) {
        case .cancelled: [.close]
        case .confirmed: remove(in: context)
        case .other(let command): perform(command, in: context)
        case nil: []
        }
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .toggleWipe, .toggleAccessTokens, .toggleLeaked, .toggleSession:
            choices.toggle(command, kind)
            return []
        case .cycleClient:
            guard let overview = context.overview(of: AccountOverview.ID(account.id)), let use, !clients.isEmpty
            else { return [] }
            let current = clients.first { ClientID.isSame($0.clientID, use.clientID) } ?? use
            var other = RemovalConfirmation(kind, overview, clients.next(after: current), in: context)
            other.choices = choices
            return [.replace(other)]
        default: return [.scroll(command)]
        }
    }

    private func remove(in context: Context) -> [Action] {
        let removal = Removal(
            kind: kind, account: account, use: use ?? ClientUse(clientID: account.clients.first ?? ""),
            choices: choices,
            id: context.nextRequest, accessTokensExpire: accessTokensExpire, store: store)
        return [.replace(removal), .perform(removal.effect)]
    }
}

extension KnownServer {
    /// Whether only its service for leaked tokens revokes those of a client without a secret.
    var revokesLeaked: Bool { if case .credentialList = revocation { true } else { false } }
}

extension AccountOverview {
    /// When the last issued access token expires; nil if there is none.
    func accessTokensExpire(after now: Date, clientID: String?) -> Date? {
        credentials.filter { held in
            held.kind == .accessToken && (clientID.map { ClientID.isSame(held.clientID, $0) } ?? true)
        }.compactMap(\.expiresOn).filter { $0 > now }.max()
    }
}
