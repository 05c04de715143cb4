import FoundationEssentials
import Identity
import Terminal

// What the panels say: a silent call, the question before an account leaves, and what became of it.
extension State {
    func sheet(_ acquisition: Acquisition, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        sheet.text(acquisition.request.account?.label ?? "", .emphasis)
        // What came of it stands first: on a small screen the steps are what is scrolled to.
        switch acquisition.phase {
        case .waiting: sheet.text("working; Esc gives up", .info)
        case .succeeded(let token):
            sheet.item(glyphs.check, .ok, "a token is at hand", .emphasis)
            addToken(token, to: &sheet)
        case .failed(let failure):
            addFailure(failure, to: &sheet)
            if acquisition.needsPerson { sheet.text("Enter goes to the sign-in", .emphasis) }
        }
        sheet.blank()
        for step in acquisition.steps { add(step, to: &sheet) }
        return sheet
    }

    func sheet(_ dialog: Dialog, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let client = context.clientName(dialog.clientID)
        sheet.text(dialog.account.label, .emphasis)
        if let store = dialog.store {
            add(store, dialog, to: &sheet)
            return sheet
        }
        sheet.text("client: \(client)" + (dialog.clients.count > 1 ? " (t chooses another)" : ""), .muted)
        let choices = dialog.choices
        if dialog.kind == .signOut {
            let tokens = choices.revokesAccessTokens ? "refresh and access tokens" : "refresh token"
            sheet.item(glyphs.check, .ok, "\(tokens) revoked, where the provider lets it")
        }
        sheet.item(
            glyphs.check, .ok,
            "removed from this store for "
                + (choices.wipes ? "every client" : "this client" + (dialog.kind == .remove ? " only" : "")))
        if dialog.kind == .remove { sheet.item(glyphs.cross, .muted, "nothing is revoked: no server is asked") }
        switch (dialog.kind, choices.endsBrowserSession) {
        case (.signOut, true): sheet.item(glyphs.check, .ok, "browser session ended, where the provider offers it")
        case (.signOut, false): sheet.item(glyphs.cross, .muted, "the browser stays signed in")
        case (.remove, _): sheet.item(glyphs.cross, .muted, "the browser keeps what it has")
        }
        let others = dialog.clients.filter { $0 != dialog.clientID }.map(context.clientName)
        if !choices.wipes {
            let kept = others.isEmpty ? "other clients" : others.joined(separator: ", ")
            sheet.item(glyphs.cross, .muted, kept + (others.count == 1 ? " keeps what it has" : " keep what they have"))
        } else if !others.isEmpty {
            sheet.item(
                glyphs.warning, .attention,
                others.joined(separator: ", ") + (others.count == 1 ? " loses it, too" : " lose it, too"))
        }
        if let end = dialog.accessTokensDieAt {
            sheet.item(glyphs.warning, .attention, "access tokens already handed out may live until \(clock.time(end))")
        }
        sheet.blank()
        add("w", choices.wipes, "every client, and all that is noted of the account", to: &sheet)
        if dialog.kind == .signOut {
            add("r", choices.revokesAccessTokens, "revoke access tokens one by one, too", to: &sheet)
            add("b", choices.endsBrowserSession, "end the browser's session", to: &sheet)
        }
        return sheet
    }

    /// What a program does itself when somebody signs out of it.
    private func add(_ store: OtherStore, _ dialog: Dialog, to sheet: inout Sheet) {
        let glyphs = sheet.glyphs
        sheet.text("in \(store.place)", .muted)
        sheet.item(
            glyphs.check, .ok,
            """
            \(store.program) forgets the account: its tokens and entries go from the store, under the program's \
            own lock
            """
        )
        if let profile = store.profile { sheet.item(glyphs.check, .ok, "its subscriptions go from \(profile)") }
        sheet.item(
            glyphs.cross, .muted,
            """
            nothing is revoked and no browser session is ended: \(store.program) does neither when somebody signs \
            out of it
            """
        )
        sheet.item(glyphs.cross, .muted, "foyer's own store and other programs keep what they have")
        if let end = dialog.accessTokensDieAt {
            sheet.item(glyphs.warning, .attention, "access tokens already handed out may live until \(clock.time(end))")
        }
    }

    func add(_ key: String, _ isOn: Bool, _ words: String, to sheet: inout Sheet) {
        sheet.item(
            "\(key) \(isOn ? sheet.glyphs.checkboxOn : sheet.glyphs.checkboxOff)", isOn ? .emphasis : .muted, words)
    }

    /// Where the two answers are.
    func buttonPlaces(_ screen: Screen, in body: Rect) -> [Rect] {
        guard let answers = screen.answers else { return [] }
        let area = page(of: screen, in: body, glyphs: .utf8).area
        let row = area.at(row: area.rows + Self.buttonRows(in: body) - 1)
        let cancel = Rect(row: row.row, column: row.column, rows: 1, columns: DisplayWidth.columns(" [ Cancel ]"))
        let words = answers.kind == .remove ? " [ Remove ]" : " [ Sign out ]"
        return [
            cancel, Rect(row: row.row, column: cancel.endColumn + 2, rows: 1, columns: DisplayWidth.columns(words)),
        ]
    }

    /// The two answers below the text; the marked one has a pointer, and the cursor is on it.
    func drawButtons(
        _ answers: (kind: DepartureKind, isConfirmFocused: Bool), at start: Position, width: Int, of grid: inout Grid
    ) {
        var column = start.column
        for (words, isFocused) in [
            ("Cancel", !answers.isConfirmFocused),
            (answers.kind == .remove ? "Remove" : "Sign out", answers.isConfirmFocused),
        ] {
            let text = isFocused ? "\(grid.glyphs.pointer)[ \(words) ]" : " [ \(words) ]"
            let place = Position(row: start.row, column: column)
            if isFocused { grid.cursor = place }
            column +=
                grid.put(
                    text, at: place, style: .role(isFocused ? .selection : .text), width: start.column + width - column)
                + 2
        }
    }

    func sheet(_ departure: Departure, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let whose =
            departure.store?.program
            ?? (departure.choices.wipes ? "every client" : context.clientName(departure.clientID))
        sheet.text("\(departure.account.label), \(whose)", .emphasis)
        var tokensDieAt = departure.accessTokensDieAt
        switch departure.phase {
        case .waiting:
            sheet.text(
                departure.isGivenUp ? "giving up; what has been done comes in a moment" : "working; Esc gives up", .info
            )
            for step in departure.steps { add(step, to: &sheet) }
            return sheet
        case .failed(let failure):
            addFailure(failure, to: &sheet)
            for step in departure.steps { add(step, to: &sheet) }
            return sheet
        case .removed(let count):
            sheet.item(glyphs.empty, .muted, "not revoked at the provider: removing asks no server")
            sheet.item(glyphs.check, .ok, "removed here: \(count == 1 ? "1 entry" : "\(count) entries")")
            sheet.item(glyphs.empty, .muted, "the browser's session is as it was")
        case .removedElsewhere(let entries, let subscriptions):
            sheet.item(glyphs.empty, .muted, "not revoked at the provider, as the program does not")
            sheet.item(glyphs.check, .ok, "removed from \(whose): \(entries == 1 ? "1 entry" : "\(entries) entries")")
            if subscriptions > 0 {
                sheet.item(glyphs.check, .ok, "\(counted(subscriptions, "subscription")) taken off its list")
            }
            sheet.item(glyphs.empty, .muted, "the browser's session is as it was")
        case .signedOut(let outcome):
            add(
                outcome.revoked, "revoked at the provider", "not revoked: the provider offers no revocation",
                "not revoked at the provider",
                to: &sheet)
            if departure.choices.revokesAccessTokens {
                add(
                    outcome.accessTokensRevoked, "access tokens revoked",
                    "access tokens not revoked: the provider offers no revocation",
                    "access tokens not revoked", to: &sheet)
            }
            add(outcome.removed, "removed here", "not removed here", "not removed here", to: &sheet)
            if departure.choices.endsBrowserSession {
                add(
                    outcome.sessionEnded, "browser session ended",
                    "browser session: the provider has no page to end it", "browser session not ended", to: &sheet)
            } else {
                sheet.item(glyphs.empty, .muted, "the browser stays signed in, as you chose")
            }
            if let page = departure.endSessionPage {
                // The query carries the ID token as a hint, which is not for the screen.
                sheet.text("b opens \(page.origin)\(page.path)", .link, indent: 2)
            }
            tokensDieAt = outcome.accessTokensDieAt ?? tokensDieAt
        }
        if let end = tokensDieAt, end > now {
            sheet.blank()
            sheet.item(
                glyphs.warning, .attention,
                "access tokens already handed out may live until \(clock.time(end)) (\(clock.relative(end)))")
        }
        return sheet
    }

    private func add(
        _ part: SignOutOutcome.Part, _ done: String, _ notOffered: String, _ failed: String, to sheet: inout Sheet
    ) {
        switch part {
        case .done: sheet.item(sheet.glyphs.check, .ok, done)
        case .opened:
            sheet.item(
                sheet.glyphs.half, .info,
                "browser session: the page that ends it was opened, and tells whether it is done")
        case .notOffered: sheet.item(sheet.glyphs.empty, .muted, notOffered)
        case .failed(let why): sheet.item(sheet.glyphs.cross, .danger, "\(failed): \(why)")
        }
    }
}
