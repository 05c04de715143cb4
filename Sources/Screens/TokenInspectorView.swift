import Explain
import FoundationEssentials
import Identity
import Terminal

extension State {
    func inspectorPage(_ inspector: TokenInspector, in body: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        let area =
            Self.isWide(body.columns)
            ? body.splitLeft(body.columns * 2 / 5 + 1).rest.inset(rows: 0, columns: 1) : body.inset(rows: 0, columns: 1)
        var sheet = Sheet(width: area.columns, glyphs: glyphs)
        if let chosen = chosen(inspector) {
            addDetails(chosen, inspector, to: &sheet)
        } else {
            sheet.text(
                inspector.account == nil
                    ? "paste a token, and Enter takes it; nothing of it is kept" : "no token is left here", .muted)
        }
        return (sheet, area)
    }

    func drawInspector(_ inspector: TokenInspector, in grid: inout Grid) {
        drawHeader(inspector.account.map { "tokens of " + name($0) } ?? "tokens that were pasted", in: &grid)
        let body = Self.body(of: grid.size)
        let isWide = Self.isWide(body.columns)
        let page = inspectorPage(inspector, in: body, glyphs: grid.glyphs)
        if let list = tokenListArea(inspector, in: body) {
            drawTokenList(inspector, in: &grid, list)
            if isWide { grid.vline(at: list.at(row: 0, column: list.columns), length: list.rows) }
        }
        if isWide || inspector.isReading { grid.draw(page.sheet, in: page.area, scroll: inspector.scroll) }
        if inspector.isReading { grid.cursor = page.area.origin }
        switch inspector.line {
        case .file(let field): drawLine("write to", field, hint: "the name of a new file", in: &grid)
        case .token(let field): drawLine("token", field, hint: "paste a token here", isMasked: true, in: &grid)
        case nil: break
        }
    }

    /// The part of the screen that the list has; nil while a token fills a narrow one.
    private func tokenListArea(_ inspector: TokenInspector, in body: Rect) -> Rect? {
        if Self.isWide(body.columns) { return body.splitLeft(body.columns * 2 / 5).left }
        return inspector.isReading ? nil : body
    }

    /// The list as it is drawn, the row of each token in it, and the first row that is seen.
    private func tokenList(_ inspector: TokenInspector, in area: Rect, glyphs: Glyphs) -> (
        sheet: Sheet, rows: [Int], first: Int
    ) {
        var sheet = Sheet(width: area.columns - 1, glyphs: glyphs)
        var rows: [Int] = []
        var client: String?
        for (index, credential) in credentials(inspector).enumerated() {
            if credential.clientID != client {
                client = credential.clientID
                sheet.row([Span(context.clientName(credential.clientID), .title, bold: true)])
            }
            rows.append(sheet.rows.count)
            sheet.row(
                row(credential, inspector, isSelected: index == inspector.selected, width: sheet.width, glyphs: glyphs))
        }
        if sheet.rows.isEmpty, inspector.account != nil {
            sheet.text("no token is in the store for this account", .muted)
        }
        let selected = rows.indices.contains(inspector.selected) ? rows[inspector.selected] : 0
        return (sheet, rows, max(0, min(selected - area.rows / 2, sheet.rows.count - area.rows)))
    }

    private func drawTokenList(_ inspector: TokenInspector, in grid: inout Grid, _ area: Rect) {
        let list = tokenList(inspector, in: area, glyphs: grid.glyphs)
        grid.draw(list.sheet, in: area, scroll: list.first)
        let selected = list.rows.indices.contains(inspector.selected) ? list.rows[inspector.selected] : 0
        grid.cursor = area.at(row: selected - list.first)
    }

    /// The token whose row is drawn there.
    func token(at place: Position, of inspector: TokenInspector) -> Int? {
        guard let area = tokenListArea(inspector, in: Self.body(of: size)), area.contains(place) else { return nil }
        let list = tokenList(inspector, in: area, glyphs: .utf8)
        return list.rows.firstIndex(of: list.first + place.row - area.row)
    }

    /// The list's tokens as text, one for each.
    func tokenRows(_ inspector: TokenInspector) -> [String] {
        credentials(inspector).map {
            [context.clientName($0.clientID), $0.words, tokenState($0, .utf8).1, $0.realm, $0.scopes.description]
                .joined(separator: " ")
        }
    }

    private func row(
        _ credential: CachedCredential, _ inspector: TokenInspector, isSelected: Bool, width: Int, glyphs: Glyphs
    ) -> [Span] {
        let (glyph, words, role) = tokenState(credential, glyphs)
        let ground: Role? = isSelected ? (inspector.isReading ? .selectionInactive : .selection) : nil
        let title = DisplayWidth.pad(
            SafeText.line(credential.words, glyphs: glyphs, limit: 40), columns: 14, ellipsis: glyphs.ellipsis)
        let mark = inspector.marked == credential.id ? "marked, " : ""
        let rest = mark + words + "  " + SafeText.line(credential.scopes.description, glyphs: glyphs, limit: 200)
        let room = max(0, width - 18)
        return [
            Span(isSelected ? glyphs.pointer + " " : "  ", ground ?? .text), Span(glyph + " ", ground ?? role),
            Span(title, ground ?? .text),
            Span(
                isSelected ? DisplayWidth.pad(rest, columns: room, ellipsis: glyphs.ellipsis) : rest, ground ?? .muted),
        ]
    }

    private func tokenState(_ credential: CachedCredential, _ glyphs: Glyphs) -> (String, String, Role) {
        guard credential.kind == .accessToken else {
            let family = credential.familyID.flatMap {
                $0.isEmpty ? nil : "of family " + SafeText.line($0, glyphs: glyphs, limit: 20)
            }
            return (glyphs.bullet, credential.kind == .refreshToken ? family ?? "stored" : "identity", .muted)
        }
        guard let end = credential.expiresOn else { return (glyphs.empty, "end unknown", .danger) }
        if end <= now { return (glyphs.empty, "ended " + clock.relative(end), .danger) }
        return credential.isFresh(at: now) || credential.isPasted
            ? (glyphs.full, "ends " + clock.relative(end), .ok)
            : (glyphs.half, "ends " + clock.relative(end), .attention)
    }

    // MARK: One token

    private func addDetails(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        sheet.heading(credential.words)
        addLooks(inspector, to: &sheet)
        switch inspector.look {
        case .claims: addClaimsLook(credential, inspector, to: &sheet)
        case .times: addTimes(credentials(inspector), chosen: credential, to: &sheet)
        case .raw: addRaw(credential, inspector, to: &sheet)
        case .entry: addEntry(credential, inspector, to: &sheet)
        case .difference: addDifference(credential, inspector, to: &sheet)
        }
    }

    /// The ways to look at it, the present one marked.
    private func addLooks(_ inspector: TokenInspector, to sheet: inout Sheet) {
        var spans: [Span] = []
        for look in TokenInspector.Look.allCases where look != .difference || inspector.look == .difference {
            let isShown = look == inspector.look
            spans.append(Span(isShown ? "[\(look.rawValue)]" : " \(look.rawValue) ", isShown ? .emphasis : .muted))
        }
        sheet.row(spans)
    }

    private func addClaimsLook(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        if !credential.isPasted {
            sheet.field("client", context.clientName(credential.clientID) + " (\(credential.clientID))")
            sheet.field("at", credential.issuer ?? credential.environment)
        }
        if !credential.realm.isEmpty { sheet.field("tenant", credential.realm) }
        if !credential.scopes.isEmpty { sheet.field("scopes", credential.scopes.description) }
        if credential.kind == .accessToken, !credential.isPasted { sheet.field("type", credential.tokenType) }
        for (label, date) in [
            (credential.isPasted ? "issued" : "stored", credential.cachedAt), ("ends", credential.expiresOn),
            ("ends at worst", credential.extendedExpiresOn), ("renewed from", credential.refreshOn),
        ] {
            if let date { sheet.field(label, "\(clock.full(date)), \(clock.relative(date))") }
        }
        if let family = credential.familyID, !family.isEmpty {
            sheet.field("family", "\(family): every client of the family may redeem it")
        }
        addSecretField(credential, inspector, to: &sheet)
        sheet.blank()
        guard credential.kind != .refreshToken else {
            sheet.text("A refresh token is for its provider only: it says nothing to anybody else.", .muted)
            return
        }
        do {
            addClaims(try DecodedJWT(credential.secret), inspector.verified[credential.secret], to: &sheet)
        } catch {
            sheet.text("opaque: \(error.description). Only the resource that it is for can read it.", .muted)
        }
    }

    func addSecretField(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        if let seconds = inspector.secondsShown(credential.id, at: now) {
            sheet.field("secret", "shown for \(counted(seconds, "second"))", .attention)
            addSecret(credential.secret, to: &sheet)
        } else {
            sheet.field("secret", "\(credential.secret.count) bytes, not shown")
        }
    }

    /// The whole of it, row by row: cut, it would be of no use.
    private func addSecret(_ secret: Secret, to sheet: inout Sheet) {
        guard SafeText.isPrintableToken(secret.reveal()) else {
            sheet.text("it has characters that no token may have, and is not shown", .danger, indent: 2)
            return
        }
        var rest = secret.reveal()[...]
        let width = max(8, sheet.width - 2)
        while !rest.isEmpty {
            sheet.row([Span("  "), Span(String(rest.prefix(width)), .code)])
            rest = rest.dropFirst(width)
        }
    }

    private func addVerification(_ look: DecodedToken, _ verified: Verification?, to sheet: inout Sheet) {
        switch verified {
        case .checking: sheet.item(sheet.glyphs.half, .info, "fetching the issuer's keys")
        case .right(let key):
            sheet.item(
                sheet.glyphs.check, .ok,
                "the signature is right, by the issuer's key \(key); nothing else of it was checked")
        case .wrong(let why): sheet.item(sheet.glyphs.cross, .danger, "the signature is WRONG: \(why)", .danger)
        case .notVerifiable(let why): sheet.item(sheet.glyphs.bullet, .muted, "not verifiable by design: \(why)")
        case .failed(let why): sheet.item(sheet.glyphs.warning, .attention, "not verified: \(why)")
        case nil:
            sheet.item(
                sheet.glyphs.warning, .attention,
                "not verified: this is only what the token says of itself; v fetches the issuer's keys")
            if look.notVerifiable != nil {
                sheet.text("its signature can be checked by nobody but its resource, by design", .muted)
            }
        }
    }

    private func addClaims(_ token: DecodedJWT, _ verified: Verification?, to sheet: inout Sheet) {
        let look = DecodedToken(token)
        addVerification(look, verified, to: &sheet)
        for (title, lines) in [("Header", look.header), ("Claims", look.claims)] {
            sheet.blank()
            sheet.heading(title)
            for line in lines { add(line, to: &sheet) }
        }
        let isMicrosoft = token.payload.string("tid") != nil
        if !look.scopes.isEmpty {
            sheet.blank()
            sheet.heading("What it may do")
            for name in look.scopes.names.prefix(100) {
                let meaning = ScopeNames.meaning(of: name, isMicrosoft: isMicrosoft)
                sheet.item(sheet.glyphs.bullet, meaning?.risk.role ?? .muted, name)
                sheet.text(
                    meaning.map { "\($0.sentence) (\($0.risk.word) risk)" } ?? "not known here", .muted, indent: 2)
            }
        }
        if !look.roles.isEmpty {
            sheet.blank()
            sheet.heading("Roles")
            for role in look.roles.prefix(100) { sheet.item(sheet.glyphs.bullet, .text, role) }
        }
    }

    /// Longer than this, and a value is cut on the screen.
    private static let longest = 600

    private func add(_ line: ClaimLine, to sheet: inout Sheet) {
        let name = String(repeating: "  ", count: line.depth) + line.name
        let value = line.value.words { "\(clock.full($0)), \(clock.relative($0))" }
        sheet.pair(name, .label, value, labelWidth: 14 + 2 * line.depth)
        let indent = min(14, sheet.width / 4)
        let count = value.unicodeScalars.count
        if count > Self.longest {
            sheet.text("cut here: it has \(count) characters, and the raw view all of them", .attention, indent: indent)
        }
        if let meaning = line.meaning { sheet.text(meaning, .muted, indent: indent) }
    }
}
