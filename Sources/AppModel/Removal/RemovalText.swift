import FoundationEssentials
import Identity

// The text before and after an account is removed.
extension RemovalConfirmation {
    package func title(in context: Context) -> String {
        if let store { return (kind == .remove ? "Remove from " : "Sign out of ") + store.program + "?" }
        return kind == .remove ? "Remove the account?" : "Sign out?"
    }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        let clock = context.clock
        let client = context.clientName(clientID)
        block.text(account.label, .emphasis)
        if let store {
            add(store, clock, to: &block)
            return block
        }
        block.text(
            "client: \(client)"
                + (clients.count > 1 ? " (\(context.name(of: .cycleClient, at: keyContext)) chooses another)" : ""),
            .muted)
        block.add(
            effectsOf: choices, of: kind, several: false, for: "this client" + (kind == .remove ? " only" : ""))
        let others = clients.filter { $0 != clientID }.map(context.clientName)
        if !choices.wipes {
            let kept = others.isEmpty ? "other clients" : others.joined(separator: ", ")
            block.item(.cross, .muted, kept + (others.count == 1 ? " keeps its tokens" : " keep their tokens"))
        } else if !others.isEmpty {
            block.item(
                .warning, .attention,
                others.joined(separator: ", ") + (others.count == 1 ? " loses it, too" : " lose it, too"))
        }
        if let end = accessTokensDieAt {
            block.item(.warning, .attention, "issued access tokens may work until \(clock.time(end))")
        }
        block.blank()
        block.add(choices, of: kind, several: false, at: keyContext, in: context)
        return block
    }

    /// What the program itself does at a sign-out.
    private func add(_ store: OtherStore, _ clock: Clock, to block: inout TextBlock) {
        block.text("in \(store.place)", .muted)
        block.item(
            .check, .ok,
            "\(store.program) removes the account: its tokens and entries in the store, "
                + "under the program's own lock"
        )
        if let profile = store.profile { block.item(.check, .ok, "its subscriptions are removed from \(profile)") }
        block.item(
            .cross, .muted,
            "nothing is revoked and no browser session is ended: "
                + "\(store.program) does neither at a sign-out"
        )
        block.item(.cross, .muted, "foyer's own store and other programs are not changed")
        if let end = accessTokensDieAt {
            block.item(.warning, .attention, "issued access tokens may work until \(clock.time(end))")
        }
    }
}

extension Removal {
    package func title(in context: Context) -> String { kind.verb }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        let clock = context.clock
        let whose = store?.program ?? (choices.wipes ? "every client" : context.clientName(clientID))
        block.text("\(account.label), \(whose)", .emphasis)
        var tokensDieAt = accessTokensDieAt
        switch phase {
        case .waiting:
            block.text(
                isGivenUp
                    ? "cancelling; what was done so far follows in a moment"
                    : "working; \(context.name(of: .back, at: keyContext)) cancels", .info)
            block.add(steps)
            return block
        case .failed(let failure):
            block.add(failure)
            block.add(steps)
            return block
        case .removed(let count):
            block.item(.empty, .muted, "not revoked at the provider: removing contacts no server")
            block.item(.check, .ok, "removed here: \(counted(count, "entry", "entries"))")
            block.item(.empty, .muted, "the browser session is kept")
        case .removedElsewhere(let entries, let subscriptions):
            block.item(.empty, .muted, "not revoked at the provider, as the program does not")
            block.item(.check, .ok, "removed from \(whose): \(counted(entries, "entry", "entries"))")
            if subscriptions > 0 {
                block.item(.check, .ok, "\(counted(subscriptions, "subscription")) removed from its list")
            }
            block.item(.empty, .muted, "the browser session is kept")
        case .signedOut(let outcome):
            block.add(
                outcome.revoked, "revoked at the provider", "not revoked: the provider offers no revocation",
                "not revoked at the provider")
            if choices.revokesAccessTokens {
                block.add(
                    outcome.accessTokensRevoked, "access tokens revoked",
                    "access tokens not revoked: the provider offers no revocation",
                    "access tokens not revoked")
            }
            block.add(outcome.removed, "removed here", "not removed here", "not removed here")
            if choices.endsBrowserSession {
                block.add(
                    outcome.sessionEnded, "browser session ended",
                    "browser session: the provider has no page to end it", "browser session not ended")
            } else {
                block.item(.empty, .muted, "the browser stays signed in, as you chose")
            }
            if let page = endSessionPage {
                // The query carries the ID token as a hint, which is not for the screen.
                block.text(
                    "\(context.name(of: .openBrowser, at: keyContext)) opens \(page.origin)\(page.path)", .link,
                    indent: 2)
            }
            tokensDieAt = outcome.accessTokensDieAt ?? tokensDieAt
        }
        if let end = tokensDieAt, end > context.now {
            block.blank()
            block.item(
                .warning, .attention,
                "issued access tokens may work until \(clock.time(end)) (\(clock.relative(end)))")
        }
        return block
    }
}

extension TextBlock {
    /// What can be chosen for a removal, each with the name of its command.
    ///
    /// - Parameter several: whether it is about more than one account.
    mutating func add(
        _ choices: RemovalChoices, of kind: RemovalKind, several: Bool, at place: KeyContext, in context: Context
    ) {
        let end = several ? "s" : ""
        add(context.name(of: .toggleWipe, at: place), choices.wipes, "all clients and saved data of the account" + end)
        guard kind == .signOut else { return }
        add(
            context.name(of: .toggleAccessTokens, at: place), choices.revokesAccessTokens,
            "revoke access tokens one by one, too")
        add(context.name(of: .toggleSession, at: place), choices.endsBrowserSession, "end the browser's session" + end)
    }

    /// What happens at a removal and what does not.
    ///
    /// - Parameter client: for whom an account goes, unless it goes for every client.
    mutating func add(effectsOf choices: RemovalChoices, of kind: RemovalKind, several: Bool, for client: String) {
        let end = several ? "s" : ""
        if kind == .signOut {
            let tokens = choices.revokesAccessTokens ? "refresh and access tokens" : "refresh token" + end
            item(.check, .ok, "\(tokens) revoked, where the provider supports it")
        }
        item(.check, .ok, "removed from this store for " + (choices.wipes ? "every client" : client))
        if kind == .remove { item(.cross, .muted, "nothing is revoked: no server is contacted") }
        switch (kind, choices.endsBrowserSession) {
        case (.signOut, true):
            let pages = several ? ": a page for each account" : ""
            item(.check, .ok, "browser session\(end) ended, where the provider offers it" + pages)
        case (.signOut, false): item(.cross, .muted, "the browser stays signed in")
        case (.remove, _): item(.cross, .muted, "the browser session is kept")
        }
    }

    private mutating func add(_ key: String, _ isOn: Bool, _ words: String) {
        item(.toggle(key: key, isOn), isOn ? .emphasis : .muted, words)
    }

    fileprivate mutating func add(_ part: SignOutOutcome.Part, _ done: String, _ notOffered: String, _ failed: String) {
        switch part {
        case .done: item(.check, .ok, done)
        case .opened:
            item(.half, .info, "browser session: its end page was opened and says whether it ended")
        case .notOffered: item(.empty, .muted, notOffered)
        case .failed(let why): item(.cross, .danger, "\(failed): \(why)")
        }
    }
}
