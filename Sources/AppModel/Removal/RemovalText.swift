import Explain
import FoundationEssentials
import Identity

extension RemovalConfirmation {
    func page(in context: Context) -> Page {
        let title =
            if let store {
                (kind == .remove ? "Remove from " : "Sign out of ") + store.program + "?"
            } else {
                kind == .remove ? "Remove the account?" : "Sign out?"
            }
        return Page(title: title, addText: { addText(in: context, to: &$0) }, confirmation: question)
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        let clock = context.clock
        let client = use?.shownName ?? ""
        block.text(account.label, .emphasis)
        if let store {
            return add(store, clock, to: &block)
        }
        block.text(
            "client: \(client)"
                + (clients.count > 1 ? " (\(context.name(of: .cycleClient, at: keyContext)): choose another)" : ""),
            .muted)
        block.add(
            effectsOf: choices, of: kind, several: false, for: "this client" + (kind == .remove ? " only" : ""),
            at: server, account: account, hasAccessTokensOnly: hasAccessTokensOnly)
        if !otherNames.isEmpty {
            block.item(
                .warning, .attention,
                otherNames.joined(separator: ", ")
                    + (otherNames.count == 1 ? " loses its tokens" : " lose their tokens")
                    + " too: the same client ID")
        }
        let others = clients.filter { other in !(use.map { ClientID.isSame($0.clientID, other.clientID) } ?? false) }
            .map(\.shownName)
        if !choices.wipes {
            let kept = others.isEmpty ? "other clients" : others.joined(separator: ", ")
            block.item(.cross, .muted, kept + (others.count == 1 ? " keeps its tokens" : " keep their tokens"))
        } else if !others.isEmpty {
            block.item(
                .warning, .attention,
                others.joined(separator: ", ") + (others.count == 1 ? " is affected too" : " are affected too"))
        }
        block.add(tokensUntil: accessTokensExpire, clock)
        block.blank()
        block.add(choices, of: kind, several: false, at: keyContext, leaksTo: leakServer, in: context)
    }

    /// Adds the effects of a sign-out by the program itself.
    private func add(_ store: OtherStore, _ clock: Clock, to block: inout TextBlock) {
        block.text("in \(store.place)", .muted)
        block.item(
            .bullet, .text,
            "\(store.program) will remove the account: its tokens and store entries, "
                + "under the program's own lock"
        )
        if let profile = store.profile {
            block.item(.bullet, .text, "its subscriptions will be removed from \(profile)")
        }
        block.item(
            .cross, .muted,
            "nothing is revoked and no browser session is ended: "
                + "\(store.program) does neither on sign-out"
        )
        block.item(.cross, .muted, "foyer's own store and other programs are not changed")
        block.add(tokensUntil: accessTokensExpire, clock)
    }
}

extension RemovalConfirmation {
    /// The server that accepts reports of leaked tokens.
    private var leakServer: KnownServer? { server?.revokesLeaked == true ? server : nil }
}

extension Removal {
    func page(in context: Context) -> Page {
        Page(title: kind.verb, addText: { addText(in: context, to: &$0) })
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        let clock = context.clock
        let whose = store?.program ?? (choices.wipes ? "every client" : use.shownName)
        block.text("\(account.label), \(whose)", .emphasis)
        var tokensDieAt = accessTokensExpire
        switch phase {
        case .waiting:
            block.text(
                isGivenUp
                    ? "cancelling; partial results follow"
                    : "working; \(context.name(of: .back, at: keyContext)) cancels", .info)
            return block.add(steps)
        case .failed(let failure):
            block.add(failure)
            return block.add(steps)
        case .removed(let count):
            block.item(.empty, .muted, "not revoked at the provider: \"remove\" works offline")
            block.item(.check, .ok, "removed here: \(counted(count, "entry", "entries"))")
            block.item(.empty, .muted, "the browser session is kept")
        case .removedElsewhere(let entries, let subscriptions):
            block.item(.empty, .muted, "not revoked: the program does not revoke")
            block.item(.check, .ok, "removed from \(whose): \(counted(entries, "entry", "entries"))")
            if subscriptions > 0 {
                block.item(.check, .ok, "\(counted(subscriptions, "subscription")) removed from its list")
            }
            block.item(.empty, .muted, "the browser session is kept")
        case .signedOut(let outcome):
            block.add(
                outcome.revoked, "revoked at the provider", "not revoked: not supported by the provider",
                "not revoked at the provider")
            if let page = outcome.grantPage {
                block.text("the grant remains until you end it: \(page.text)", .link, indent: 2)
            }
            if choices.revokesAccessTokens {
                block.add(
                    outcome.accessTokensRevoked, "access tokens revoked",
                    "access tokens not revoked: not supported by the provider",
                    "access tokens not revoked")
            }
            if outcome.isFinished {
                block.add(outcome.removed, "removed here", "not removed here", "not removed here")
            } else {
                block.addSigningOut(context.name(of: .reload, at: keyContext))
            }
            if choices.endsBrowserSession {
                block.add(
                    outcome.sessionEnded, "browser session ended",
                    "browser session: no sign-out page at the provider", "browser session not ended")
            } else {
                block.item(.empty, .muted, "the browser stays signed in, as you chose")
            }
            if let page = endSessionPage {
                // The query contains the ID token as a hint, which must not be displayed.
                block.text(
                    "\(context.name(of: .openBrowser, at: keyContext)): open \(page.origin)\(page.path)", .link,
                    indent: 2)
            }
            tokensDieAt = outcome.accessTokensExpire ?? tokensDieAt
        }
        if context.undoable.contains(where: { $0.removal == id }) {
            block.text("\(context.name(of: .undo, at: .picker)) in the list: undo, until foyer ends", .muted)
        }
        if let end = tokensDieAt, end > context.now {
            block.blank()
            block.add(tokensUntil: end, clock, isDone: true)
        }
    }
}

extension TextBlock {
    /// Adds what an unfinished sign-out means.
    ///
    /// - Parameter key: the name of the command that tries it again.
    mutating func addSigningOut(_ key: String) {
        item(
            .warning, .attention,
            "signing out: the refresh token is kept only to be revoked, by the agent or the next sign-out; "
                + "\(key): try again")
    }

    /// Adds the options of a removal, each with the name of its command.
    ///
    /// - Parameter several: whether there is more than one account.
    mutating func add(
        _ choices: RemovalChoices, of kind: RemovalKind, several: Bool, at place: KeyContext,
        leaksTo server: KnownServer? = nil, in context: Context
    ) {
        let end = several ? "s" : ""
        add(context.name(of: .toggleWipe, at: place), choices.wipes, "all clients and saved data of the account" + end)
        guard kind == .signOut else { return }
        add(context.name(of: .toggleAccessTokens, at: place), choices.revokesAccessTokens, "also revoke access tokens")
        if let server {
            add(
                context.name(of: .toggleLeaked, at: place), choices.revokesAsLeaked,
                "revoke at \(server.title) as leaked tokens; it sends you mail")
        }
        add(context.name(of: .toggleSession, at: place), choices.endsBrowserSession, "end the browser's session" + end)
    }

    /// Adds when the last issued access token expires, if there is one.
    mutating func add(tokensUntil end: Date?, _ clock: Clock, several: Bool = false, isDone: Bool = false) {
        guard let end else { return }
        let words = TimeSpan.tokensWork(until: end) { end in
            clock.time(end) + (several ? " at the latest" : "") + (isDone ? " (\(clock.relative(end)))" : "")
        }
        item(.warning, .attention, words)
    }

    /// Adds the effects of a removal and what is kept.
    ///
    /// - Parameters:
    ///   - client: the affected client, unless every client is affected.
    ///   - server: the known server of the only account.
    ///   - account: the only account, or one if all are of one cloud of Microsoft's.
    ///   - hasAccessTokensOnly: whether there is no refresh token.
    mutating func add(
        effectsOf choices: RemovalChoices, of kind: RemovalKind, several: Bool, for client: String,
        at server: KnownServer? = nil, account: Account? = nil, hasAccessTokensOnly: Bool = false
    ) {
        let end = several ? "s" : ""
        if kind == .signOut {
            let tokens =
                hasAccessTokensOnly
                ? "access tokens" : choices.revokesAccessTokens ? "refresh and access tokens" : "refresh token" + end
            add(
                revocationOf: tokens, at: server, account.flatMap { Cloud.containing(host: $0.environment) },
                isPersonal: account?.homeTenantID == Account.personalTenant, asLeaked: choices.revokesAsLeaked)
        }
        item(.bullet, .text, "will be removed from this store for " + (choices.wipes ? "every client" : client))
        if kind == .remove { item(.cross, .muted, "nothing is revoked: no server is contacted") }
        switch (kind, choices.endsBrowserSession) {
        case (.signOut, true):
            let pages = several ? ": one page per account" : ""
            item(.bullet, .text, "browser session\(end) will be ended, where supported" + pages)
        case (.signOut, false): item(.cross, .muted, "the browser stays signed in")
        case (.remove, _): item(.cross, .muted, "the browser session is kept")
        }
        if kind == .signOut { item(.cross, .muted, "cannot be undone") }
    }

    private mutating func add(
        revocationOf tokens: String, at server: KnownServer?, _ cloud: Cloud?, isPersonal: Bool, asLeaked: Bool
    ) {
        switch (server?.revocation ?? .standard, server?.title ?? "") {
        case (.standard, _) where cloud != nil:
            item(.cross, .muted, "nothing is revoked: Microsoft Entra ID revokes no tokens")
            if let page = cloud?.grantPage(isPersonal: isPersonal) {
                item(.bullet, .text, "what was granted can be ended at \(page.text)")
            }
        case (.standard, _): item(.bullet, .text, "\(tokens) will be revoked, where the provider supports it")
        case (.tokenInQuery, let title), (.bearerCall, let title):
            item(.bullet, .text, "\(tokens) will be revoked at \(title)")
        case (.credentialList, let title) where asLeaked:
            item(.bullet, .text, "all tokens will be reported to \(title) as leaked, which revokes them")
        case (.credentialList, let title), (.none, let title):
            item(.cross, .muted, "nothing is revoked: at \(title), only you can end the grant, on its page")
        }
    }

    private mutating func add(_ key: String, _ isOn: Bool, _ words: String) {
        item(.toggle(key: key, isOn), isOn ? .emphasis : .muted, words)
    }

    fileprivate mutating func add(_ part: SignOutOutcome.Part, _ done: String, _ notOffered: String, _ failed: String) {
        switch part {
        case .done: item(.check, .ok, done)
        case .opened: item(.half, .info, "browser session: see the sign-out page")
        case .notOffered: item(.empty, .muted, notOffered)
        case .failed(let why): item(.cross, .danger, "\(failed): \(why)")
        }
    }
}

extension SignOutOutcome {
    /// Whether no part failed.
    var isWhole: Bool {
        isFinished
            && [revoked, accessTokensRevoked, removed, sessionEnded].allSatisfy {
                if case .failed = $0 { false } else { true }
            }
    }
}
