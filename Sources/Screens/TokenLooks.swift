import Explain
import FoundationEssentials
import Identity
import Terminal

// The other ways to look at a token: its time among the others', the text itself, the entry in the store, the
// difference from another.
extension State {
    // MARK: Times

    /// Every token's life on one line of time, so that they can be compared; `now` is the same column in all.
    func addTimes(_ credentials: [CachedCredential], chosen: CachedCredential, to sheet: inout Sheet) {
        let lives = credentials.compactMap { credential in life(credential).map { (credential: credential, life: $0) } }
        guard let first = lives.map(\.life.start).min(), let last = lives.map(\.life.end).max() else {
            sheet.text("no token here tells when it ends", .muted)
            return
        }
        let (from, to) = (min(first, now), max(last, now))
        let columns = max(8, min(sheet.width - 2, 100))
        func column(_ date: Date) -> Int {
            let whole = to.timeIntervalSince(from)
            guard whole > 0 else { return 0 }
            let place = (date.timeIntervalSince(from) / whole * Double(columns - 1)).rounded()
            return min(max(Int(exactly: place) ?? 0, 0), columns - 1)
        }
        let here = column(now)
        let label = "now"
        let before = min(max(0, here - 1), max(0, columns - label.count))
        sheet.row([Span(String(repeating: " ", count: before)), Span(label, .emphasis)])
        var client: String?
        for (credential, life) in lives {
            if client != credential.clientID {
                client = credential.clientID
                sheet.text(context.clientName(credential.clientID), .title)
            }
            let isChosen = credential.id == chosen.id
            sheet.item(
                isChosen ? sheet.glyphs.pointer : sheet.glyphs.bullet, isChosen ? .emphasis : .muted,
                credential.words
                    + (credential.scopes.isEmpty
                        ? "" : ": " + credential.scopes.names.prefix(3).map(ScopeNames.short).joined(separator: " ")),
                isChosen ? .emphasis : .text)
            sheet.row(
                bar(column(life.start)...max(column(life.start), column(life.end)), now: here, columns, sheet.glyphs))
            sheet.text(
                "from \(clock.time(life.start)) to \(clock.time(life.end)), "
                    + (life.end <= now ? "ended " : "ends ") + clock.relative(life.end), .muted, indent: 2)
        }
        sheet.blank()
        sheet.text("Refresh tokens do not say how long they live; their provider decides.", .muted)
    }

    /// When it was given and when it ends: by the store, else by what the token says.
    private func life(_ credential: CachedCredential) -> (start: Date, end: Date)? {
        let look = credential.kind == .idToken ? decoded(credential).map(DecodedToken.init) : nil
        guard let end = credential.expiresOn ?? look?.expiresAt else { return nil }
        let start = credential.cachedAt ?? look?.issuedAt ?? end
        return (min(start, end), end)
    }

    /// What is over is light, what is left is full, and a stroke stands at the present.
    private func bar(_ life: ClosedRange<Int>, now here: Int, _ columns: Int, _ glyphs: Glyphs) -> [Span] {
        (0..<columns).map { column in
            if column == here { return Span(glyphs.present, .emphasis) }
            guard life.contains(column) else { return Span(" ") }
            return column < here ? Span(glyphs.barEmpty, .barEmpty) : Span(glyphs.barFull, .barFull)
        }
    }

    // MARK: The text itself

    func addRaw(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        addSecretField(credential, inspector, to: &sheet)
        guard let token = decoded(credential) else {
            sheet.blank()
            sheet.text("It is opaque: R shows the characters, and there is nothing to decode.", .muted)
            return
        }
        let parts = credential.secret.reveal().split(separator: ".", omittingEmptySubsequences: false).map(\.count)
        if parts.count == 3 {
            sheet.field("parts", "header \(parts[0]), claims \(parts[1]), signature \(parts[2]) characters")
        }
        sheet.blank()
        addLines(DecodedToken.exported(token), to: &sheet)
    }

    /// JSON as it stands there, line by line, each with its own indentation; nothing is cut.
    private func addLines(_ text: String, to sheet: inout Sheet) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let indent = min(line.prefix { $0 == " " }.count / 2, sheet.width / 2)
            var rest = line.drop { $0 == " " }
            let room = max(8, sheet.width - indent)
            // A line is wrapped by pieces, as a sheet takes only so much of one text.
            while !rest.isEmpty {
                sheet.text(String(rest.prefix(room)), .text, indent: indent)
                rest = rest.dropFirst(room)
            }
        }
    }

    // MARK: The entry

    func addEntry(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        guard !credential.isPasted else {
            sheet.text("it was pasted: no store has it", .muted)
            return
        }
        guard let entry = inspector.entries[credential.id] else {
            sheet.text("reading the store", .muted)
            return
        }
        sheet.text("as it stands in the store, every field; what is secret is measured only", .muted)
        sheet.blank()
        addLines(entry, to: &sheet)
    }

    // MARK: The difference

    func addDifference(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        guard let marked = credentials(inspector).first(where: { $0.id == inspector.marked }) else {
            sheet.text("the marked token is gone; mark another one with Space", .muted)
            return
        }
        sheet.field("from", described(marked))
        sheet.field("to", described(credential))
        sheet.blank()
        guard let old = decoded(marked), let new = decoded(credential) else {
            sheet.text("one of them is opaque: only what the store notes of them can be compared", .muted)
            addNoted(marked, credential, to: &sheet)
            return
        }
        let difference = TokenDifference(from: old, to: new)
        if difference.isEmpty { sheet.text("both say the same", .ok) }
        for (title, changes) in [("Header", difference.header), ("Claims", difference.claims)] where !changes.isEmpty {
            sheet.heading(title)
            for change in changes.prefix(200) { add(change, old, new, to: &sheet) }
            sheet.blank()
        }
        addScopes(difference.scopesAdded, difference.scopesRemoved, to: &sheet)
        sheet.text("\(counted(difference.same, "claim")) the same in both", .muted)
    }

    private func described(_ credential: CachedCredential) -> String {
        credential.words + (credential.isPasted ? " that was pasted" : " of " + context.clientName(credential.clientID))
            + (credential.scopes.isEmpty ? "" : ": " + credential.scopes.description)
    }

    private func add(_ change: TokenDifference.Change, _ old: DecodedJWT, _ new: DecodedJWT, to sheet: inout Sheet) {
        func words(_ token: DecodedJWT, _ value: String) -> String {
            guard ClaimMeanings.times.contains(change.name), let date = token.payload.date(change.name) else {
                return value
            }
            return "\(clock.full(date)), \(clock.relative(date))"
        }
        let (before, after) = (
            words(old, TokenDifference.Change.words(change.old)), words(new, TokenDifference.Change.words(change.new))
        )
        let name = change.name
        switch change.kind {
        case .added: sheet.item("+", .ok, "\(name) added: \(after)")
        case .removed: sheet.item("-", .attention, "\(name) removed: \(before)")
        case .changed:
            sheet.item("~", .info, "\(name) changed: \(before)")
            sheet.item(sheet.glyphs.arrowRight, .info, after, indent: 2)
        }
        if let meaning = change.meaning { sheet.text(meaning, .muted, indent: 2) }
    }

    private func addScopes(_ added: ScopeSet, _ removed: ScopeSet, to sheet: inout Sheet) {
        guard !added.isEmpty || !removed.isEmpty else { return }
        sheet.heading("Scopes")
        for name in added.names { sheet.item("+", .ok, name) }
        for name in removed.names { sheet.item("-", .attention, name) }
        sheet.blank()
    }

    private func addNoted(_ old: CachedCredential, _ new: CachedCredential, to sheet: inout Sheet) {
        sheet.blank()
        addScopes(new.scopes.subtracting(old.scopes), old.scopes.subtracting(new.scopes), to: &sheet)
        for (label, before, after) in [("ends", old.expiresOn, new.expiresOn), ("stored", old.cachedAt, new.cachedAt)] {
            sheet.field(
                label,
                """
                \(before.map(clock.full) ?? "not said") \(sheet.glyphs.arrowRight) \
                \(after.map(clock.full) ?? "not said")
                """
            )
        }
        for (label, before, after) in [
            ("tenant", old.realm, new.realm), ("at", old.issuer ?? old.environment, new.issuer ?? new.environment),
        ] where before != after {
            sheet.field(label, "\(before) \(sheet.glyphs.arrowRight) \(after)")
        }
    }
}
