import FoundationEssentials
import Identity
import Terminal

/// Several accounts that leave together: asked once, with every name, done one after the other, told once.
struct GroupDeparture: Equatable, Sendable {
    enum Stage: Equatable, Sendable { case asking, working, over }

    struct Party: Equatable, Sendable {
        let account: Account
        let clientID: String
        /// When the last access token of this client that is out already ends.
        let tokensDieAt: Date?
        var outcome = Departure.Phase.waiting
    }

    let kind: DepartureKind
    var parties: [Party]
    /// A page for each account would fill the browser: their sessions stay unless the person wants otherwise.
    var choices = DepartureChoices(endsBrowserSession: false)
    var stage = Stage.asking
    var isConfirmFocused = false
    var scroll = 0
    /// What the account whose turn it is waits for.
    var flight: FlightID?

    var done: Int { parties.count { $0.isDone } }
    var current: Int? { parties.firstIndex { $0.outcome == .waiting } }

    var title: String {
        switch (stage, kind) {
        case (.asking, .remove): "Remove \(counted(parties.count, "account"))?"
        case (.asking, .signOut): "Sign out \(counted(parties.count, "account"))?"
        case (_, .remove): "Remove"
        case (_, .signOut): "Sign out"
        }
    }
}

extension GroupDeparture.Party {
    var isDone: Bool {
        switch outcome {
        case .waiting, .failed: false
        case .removed, .removedElsewhere: true
        case .signedOut(let outcome): if case .failed = outcome.removed { false } else { true }
        }
    }
}

extension Screen {
    /// The two answers below a question.
    var answers: (kind: DepartureKind, isConfirmFocused: Bool)? {
        switch self {
        case .dialog(let dialog): (dialog.kind, dialog.isConfirmFocused)
        case .group(let group) where group.stage == .asking: (group.kind, group.isConfirmFocused)
        default: nil
        }
    }
}

extension Screen {
    /// The other program's store that the question is about.
    var otherStore: OtherStore? {
        guard case .dialog(let dialog) = self else { return nil }
        return dialog.store
    }
}

extension State {
    var group: GroupDeparture? {
        guard case .group(let screen) = top else { return nil }
        return screen
    }

    /// Whether a question about a sign-out is open, with its choices.
    var asksSignOut: Bool { top?.answers?.kind == .signOut && top?.otherStore == nil }

    /// Whether a question waits for its answer, be it under the help.
    package var isAsking: Bool { stack.contains { $0.answers != nil } }

    /// Opens the question for everyone who is marked; one alone is asked about with all that is known of it.
    mutating func askForMarked(_ kind: DepartureKind) -> [Effect] {
        let parties = picker.markedAccounts.compactMap { overview in
            client(for: overview.account).map { clientID in
                GroupDeparture.Party(
                    account: overview.account, clientID: clientID,
                    tokensDieAt: overview.credentials.filter { $0.clientID == clientID && $0.kind == .accessToken }
                        .compactMap(\.expiresOn)
                        .filter { $0 > now }.max())
            }
        }
        guard !parties.isEmpty else { return [] }
        stack.append(.group(GroupDeparture(kind: kind, parties: parties)))
        return [.flushInput]
    }

    mutating func perform(_ command: Command, _ given: GroupDeparture) -> [Effect] {
        guard given.stage == .asking else {
            scroll(command)
            return []
        }
        var asked = given
        switch command {
        case .moveButton: asked.isConfirmFocused.toggle()
        case .toggleWipe: asked.choices.wipes.toggle()
        case .toggleAccessTokens where asked.kind == .signOut: asked.choices.revokesAccessTokens.toggle()
        case .toggleSession where asked.kind == .signOut: asked.choices.endsBrowserSession.toggle()
        case .yes: return goOn(&asked, at: stack.count - 1)
        case .open where asked.isConfirmFocused: return goOn(&asked, at: stack.count - 1)
        case .open, .no:
            stack.removeLast()
            return []
        default:
            scroll(command)
            return []
        }
        replaceTop(.group(asked))
        return []
    }

    /// The next account's turn: one at a time, so that giving up leaves the rest as it is and no provider is asked by
    /// many at once.
    private mutating func goOn(_ group: inout GroupDeparture, at index: Int) -> [Effect] {
        defer { stack[index] = .group(group) }
        guard let turn = group.current else {
            group.stage = .over
            group.flight = nil
            group.scroll = 0
            return [.load]
        }
        let flight = newFlight()
        if group.stage == .asking { group.scroll = 0 }
        group.stage = .working
        group.flight = flight
        let party = group.parties[turn]
        return switch group.kind {
        case .remove: [.remove(party.account, clientID: party.clientID, group.choices, flight)]
        case .signOut: [.signOut(party.account, clientID: party.clientID, group.choices, flight)]
        }
    }

    mutating func landGroup(_ message: Message, _ given: GroupDeparture, at index: Int) -> [Effect] {
        var group = given
        guard let turn = group.current else { return [] }
        switch message {
        case .removed(let count, _): group.parties[turn].outcome = .removed(count)
        case .signedOut(let outcome, _): group.parties[turn].outcome = .signedOut(outcome)
        case .failed(let failure, _): group.parties[turn].outcome = .failed(failure)
        default: return []
        }
        if group.parties[turn].isDone { picker.unmark(AccountOverview.ID(group.parties[turn].account.id)) }
        return goOn(&group, at: index)
    }
}

extension State {
    func sheet(_ group: GroupDeparture, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        switch group.stage {
        case .asking: addQuestion(group, to: &sheet)
        case .working:
            sheet.text("\(group.done) of \(group.parties.count) done; Esc gives up the rest", .info)
            sheet.blank()
            for party in group.parties { add(party, group, to: &sheet) }
        case .over:
            let all = group.done == group.parties.count
            let verb = group.kind == .remove ? "removed" : "signed out"
            sheet.item(
                all ? glyphs.check : glyphs.warning, all ? .ok : .attention,
                all
                    ? "\(counted(group.done, "account")) \(verb)"
                    : "\(group.done) of \(counted(group.parties.count, "account")) \(verb)",
                .emphasis)
            sheet.blank()
            for party in group.parties { add(party, group, to: &sheet) }
            if let end = group.parties.filter(\.isDone).compactMap(\.tokensDieAt).max(), end > now {
                sheet.blank()
                sheet.item(
                    glyphs.warning, .attention,
                    """
                    access tokens already handed out may live until \(clock.time(end)) at the latest \
                    (\(clock.relative(end)))
                    """
                )
            }
        }
        return sheet
    }

    private func addQuestion(_ group: GroupDeparture, to sheet: inout Sheet) {
        let glyphs = sheet.glyphs
        let choices = group.choices
        // First what happens: on a small screen the names are what is scrolled to.
        if group.kind == .signOut {
            let tokens = choices.revokesAccessTokens ? "refresh and access tokens" : "refresh tokens"
            sheet.item(glyphs.check, .ok, "\(tokens) revoked, where the provider lets it")
        }
        sheet.item(
            glyphs.check, .ok,
            "removed from this store for " + (choices.wipes ? "every client" : "the client named beside each, no other")
        )
        if group.kind == .remove { sheet.item(glyphs.cross, .muted, "nothing is revoked: no server is asked") }
        switch (group.kind, choices.endsBrowserSession) {
        case (.signOut, true):
            sheet.item(
                glyphs.check, .ok, "browser sessions ended, where the provider offers it: a page for each account")
        case (.signOut, false): sheet.item(glyphs.cross, .muted, "the browser stays signed in")
        case (.remove, _): sheet.item(glyphs.cross, .muted, "the browser keeps what it has")
        }
        if let end = group.parties.compactMap(\.tokensDieAt).max() {
            sheet.item(
                glyphs.warning, .attention,
                "access tokens already handed out may live until \(clock.time(end)) at the latest")
        }
        sheet.blank()
        for party in group.parties {
            sheet.item(
                glyphs.bullet, .emphasis,
                party.account.label + (choices.wipes ? "" : ", " + context.clientName(party.clientID)))
        }
        sheet.blank()
        add("w", choices.wipes, "every client, and all that is noted of the accounts", to: &sheet)
        if group.kind == .signOut {
            add("r", choices.revokesAccessTokens, "revoke access tokens one by one, too", to: &sheet)
            add("b", choices.endsBrowserSession, "end the browser's sessions", to: &sheet)
        }
    }

    private func add(_ party: GroupDeparture.Party, _ group: GroupDeparture, to sheet: inout Sheet) {
        let glyphs = sheet.glyphs
        let who = party.account.label + (group.choices.wipes ? "" : ", " + context.clientName(party.clientID))
        switch party.outcome {
        case .waiting: sheet.item(glyphs.bullet, .muted, who)
        case .failed(let failure): sheet.item(glyphs.cross, .danger, "\(who): \(failure.message)")
        case .removed(let count), .removedElsewhere(let count, _):
            sheet.item(glyphs.check, .ok, "\(who): \(count == 1 ? "1 entry" : "\(count) entries") removed here")
        case .signedOut(let outcome):
            var parts = [words(outcome.revoked, "revoked", "no revocation offered", "not revoked")]
            if group.choices.revokesAccessTokens {
                parts.append(
                    words(
                        outcome.accessTokensRevoked, "access tokens revoked", "no revocation of access tokens offered",
                        "access tokens not revoked"))
            }
            parts.append(words(outcome.removed, "removed here", "not removed here", "not removed here"))
            if group.choices.endsBrowserSession {
                parts.append(
                    words(
                        outcome.sessionEnded, "browser session ended", "no page to end the session",
                        "browser session not ended"))
            }
            let isWhole = ![outcome.revoked, outcome.removed, outcome.sessionEnded].contains {
                if case .failed = $0 { true } else { false }
            }
            sheet.item(
                isWhole ? glyphs.check : party.isDone ? glyphs.warning : glyphs.cross,
                isWhole ? .ok : party.isDone ? .attention : .danger, "\(who): " + parts.joined(separator: ", "))
        }
    }

    private func words(_ part: SignOutOutcome.Part, _ done: String, _ notOffered: String, _ failed: String) -> String {
        switch part {
        case .done: done
        case .opened: "browser page opened"
        case .notOffered: notOffered
        case .failed(let why): "\(failed) (\(why))"
        }
    }
}
