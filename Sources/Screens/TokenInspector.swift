import FoundationEssentials
import Identity
import Terminal

/// What the store holds of one account, and what is in each token. Secrets are measured, never shown.
struct TokenInspector: Equatable, Sendable {
    let account: AccountID
    var selected = 0
    /// Whether the keys scroll the details instead of choosing a token.
    var isReading = false
    var scroll = 0
    /// By the tokens' keys, as long as the screen is open.
    var verified: [String: Verification] = [:]
    /// The token whose secret is shown, and until when.
    private var revealed: Revealed?

    private struct Revealed: Equatable, Sendable {
        var id: String
        var until: Date
    }

    /// A secret stays on the screen for so many seconds (atk-K13).
    static let revealSeconds = 10.0

    init(account: AccountID) { self.account = account }

    mutating func reveal(_ id: String, at now: Date) { revealed = Revealed(id: id, until: now.addingTimeInterval(Self.revealSeconds)) }
    mutating func hideSecret() { revealed = nil }

    /// Seconds for which the secret is still shown; nil when it is not.
    func secondsShown(_ id: String, at now: Date) -> Int? {
        guard let revealed, revealed.id == id, revealed.until > now else { return nil }
        return max(1, Int(exactly: revealed.until.timeIntervalSince(now).rounded(.up)) ?? 1)
    }

    /// Grouped by client, access tokens first.
    static func credentials(_ overview: AccountOverview?) -> [CachedCredential] {
        guard let overview else { return [] }
        return overview.credentials.sorted { left, right in
            if left.clientID != right.clientID { return left.clientID < right.clientID }
            if left.kind != right.kind { return left.kind.order < right.kind.order }
            return left.id < right.id
        }
    }
}

extension CachedCredential.Kind {
    fileprivate var order: Int {
        switch self {
        case .accessToken: 0
        case .refreshToken: 1
        case .idToken: 2
        }
    }

    fileprivate var words: String {
        switch self {
        case .accessToken: "access token"
        case .refreshToken: "refresh token"
        case .idToken: "ID token"
        }
    }
}

extension State {
    mutating func perform(_ command: Command, _ given: TokenInspector) -> [Effect] {
        var inspector = given
        let last = max(0, TokenInspector.credentials(overview(of: given.account)).count - 1)
        let credentials = TokenInspector.credentials(overview(of: given.account))
        let chosen = credentials.indices.contains(given.selected) ? credentials[given.selected] : nil
        switch command {
        case .verify:
            guard let chosen else { return [] }
            inspector.verified[chosen.id] = .checking
            replaceTop(.inspector(inspector))
            return [.verify(chosen)]
        case .reveal:
            guard let chosen else { return [] }
            if inspector.secondsShown(chosen.id, at: now) == nil { inspector.reveal(chosen.id, at: now) } else { inspector.hideSecret() }
        case .copySecret:
            guard let chosen else { return [] }
            notice = "the \(chosen.kind.words) was handed to the clipboard; empty it when it has served"
            return [.copySecret(chosen.secret)]
        case .back: inspector.isReading = false
        case .scopes:
            stack.append(.scopes(ScopeConsent(account: given.account)))
            return []
        case .open where last >= 0 && !given.isReading: inspector.isReading = true
        default:
            guard !given.isReading else {
                scroll(command)
                return []
            }
            let page = max(1, size.rows - 6)
            switch command {
            case .up: inspector.selected -= 1
            case .down: inspector.selected += 1
            case .pageUp: inspector.selected -= page
            case .pageDown: inspector.selected += page
            case .halfUp: inspector.selected -= max(1, page / 2)
            case .halfDown: inspector.selected += max(1, page / 2)
            case .first: inspector.selected = 0
            case .last: inspector.selected = last
            default: return []
            }
            inspector.selected = min(max(inspector.selected, 0), last)
        }
        if inspector.selected != given.selected { inspector.hideSecret() }
        if inspector.selected != given.selected || !inspector.isReading { inspector.scroll = 0 }
        replaceTop(.inspector(inspector))
        return []
    }

    /// The answer of ``Effect/verify(_:)``: dropped when the screen is gone.
    mutating func land(_ finding: Verification, of id: String) {
        for index in stack.indices {
            guard case .inspector(var inspector) = stack[index], inspector.verified[id] != nil else { continue }
            inspector.verified[id] = finding
            stack[index] = .inspector(inspector)
        }
    }

    /// After a reload there may be fewer tokens than before.
    mutating func keepInspectorInside() {
        for index in stack.indices {
            guard case .inspector(var inspector) = stack[index] else { continue }
            let count = TokenInspector.credentials(overview(of: inspector.account)).count
            inspector.selected = min(inspector.selected, max(0, count - 1))
            stack[index] = .inspector(inspector)
        }
    }

    private static func isWide(_ columns: Int) -> Bool { columns >= 110 }

    func inspectorPage(_ inspector: TokenInspector, in body: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        let area =
            Self.isWide(body.columns)
            ? body.splitLeft(body.columns * 2 / 5 + 1).rest.inset(rows: 0, columns: 1) : body.inset(rows: 0, columns: 1)
        var sheet = Sheet(width: area.columns, glyphs: glyphs)
        let credentials = TokenInspector.credentials(overview(of: inspector.account))
        if credentials.indices.contains(inspector.selected) {
            addDetails(credentials[inspector.selected], inspector, to: &sheet)
        } else {
            sheet.text("no token is left here", .muted)
        }
        return (sheet, area)
    }

    func drawInspector(_ inspector: TokenInspector, in grid: inout Grid) {
        drawHeader("tokens of " + name(inspector.account), in: &grid)
        let body = Self.body(of: grid.size)
        let isWide = Self.isWide(body.columns)
        let page = inspectorPage(inspector, in: body, glyphs: grid.glyphs)
        if isWide || !inspector.isReading {
            let list = isWide ? body.splitLeft(body.columns * 2 / 5).left : body
            drawTokenList(inspector, in: &grid, list)
            if isWide { grid.vline(at: list.at(row: 0, column: list.columns), length: list.rows) }
        }
        if isWide || inspector.isReading { grid.draw(page.sheet, in: page.area, scroll: inspector.scroll) }
        if inspector.isReading { grid.cursor = page.area.origin }
    }

    private func drawTokenList(_ inspector: TokenInspector, in grid: inout Grid, _ area: Rect) {
        var sheet = Sheet(width: area.columns - 1, glyphs: grid.glyphs)
        var selectedRow = 0
        var client: String?
        for (index, credential) in TokenInspector.credentials(overview(of: inspector.account)).enumerated() {
            if credential.clientID != client {
                client = credential.clientID
                sheet.row([Span(context.clientName(credential.clientID), .title, bold: true)])
            }
            let isSelected = index == inspector.selected
            if isSelected { selectedRow = sheet.rows.count }
            sheet.row(row(credential, isSelected: isSelected, isActive: !inspector.isReading, width: sheet.width, glyphs: grid.glyphs))
        }
        if sheet.rows.isEmpty { sheet.text("no token is in the store for this account", .muted) }
        let first = max(0, min(selectedRow - area.rows / 2, sheet.rows.count - area.rows))
        grid.draw(sheet, in: area, scroll: first)
        grid.cursor = area.at(row: selectedRow - first)
    }

    private func row(_ credential: CachedCredential, isSelected: Bool, isActive: Bool, width: Int, glyphs: Glyphs) -> [Span] {
        let (glyph, words, role) = tokenState(credential, glyphs)
        let ground: Role? = isSelected ? (isActive ? .selection : .selectionInactive) : nil
        let title = DisplayWidth.pad(credential.kind.words, columns: 14)
        let rest = words + "  " + SafeText.line(credential.scopes.description, glyphs: glyphs, limit: 200)
        let room = max(0, width - 18)
        return [
            Span(isSelected ? glyphs.pointer + " " : "  ", ground ?? .text), Span(glyph + " ", ground ?? role),
            Span(title, ground ?? .text),
            Span(isSelected ? DisplayWidth.pad(rest, columns: room, ellipsis: glyphs.ellipsis) : rest, ground ?? .muted),
        ]
    }

    private func tokenState(_ credential: CachedCredential, _ glyphs: Glyphs) -> (String, String, Role) {
        guard credential.kind == .accessToken else {
            return (glyphs.bullet, credential.kind == .refreshToken ? "stored" : "identity", .muted)
        }
        guard let end = credential.expiresOn else { return (glyphs.empty, "end unknown", .danger) }
        if end <= now { return (glyphs.empty, "ended " + clock.relative(end), .danger) }
        return credential.isFresh(at: now)
            ? (glyphs.full, "ends " + clock.relative(end), .ok) : (glyphs.half, "ends " + clock.relative(end), .attention)
    }

    private func addDetails(_ credential: CachedCredential, _ inspector: TokenInspector, to sheet: inout Sheet) {
        sheet.heading(credential.kind.words)
        sheet.field("client", context.clientName(credential.clientID) + " (\(credential.clientID))")
        sheet.field("at", credential.environment)
        if !credential.realm.isEmpty { sheet.field("tenant", credential.realm) }
        if !credential.scopes.isEmpty { sheet.field("scopes", credential.scopes.description) }
        if credential.kind == .accessToken { sheet.field("type", credential.tokenType) }
        for (label, date) in [
            ("stored", credential.cachedAt), ("ends", credential.expiresOn), ("ends at worst", credential.extendedExpiresOn),
            ("renewed from", credential.refreshOn),
        ] {
            if let date { sheet.field(label, "\(clock.full(date)), \(clock.relative(date))") }
        }
        if let family = credential.familyID, !family.isEmpty {
            sheet.field("family", "\(family): every client of the family may redeem it")
        }
        if let seconds = inspector.secondsShown(credential.id, at: now) {
            sheet.field("secret", "shown for \(counted(seconds, "second"))", .attention)
            addSecret(credential.secret, to: &sheet)
        } else {
            sheet.field("secret", "\(credential.secret.count) bytes, not shown")
        }
        sheet.blank()
        guard credential.kind != .refreshToken else {
            sheet.text("A refresh token is for its provider only: it says nothing to anybody else.", .muted)
            return
        }
        do {
            addClaims(try DecodedJWT(credential.secret), inspector.verified[credential.id], to: &sheet)
        } catch {
            sheet.text("opaque: \(error.description). Only the resource that it is for can read it.", .muted)
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

    private func addVerification(_ token: DecodedJWT, _ verified: Verification?, to sheet: inout Sheet) {
        switch verified {
        case .checking: sheet.item(sheet.glyphs.half, .info, "fetching the issuer's keys")
        case .right(let key):
            sheet.item(sheet.glyphs.check, .ok, "the signature is right, by the issuer's key \(key); nothing else of it was checked")
        case .wrong(let why): sheet.item(sheet.glyphs.cross, .danger, "the signature is WRONG: \(why)", .danger)
        case .notVerifiable(let why): sheet.item(sheet.glyphs.bullet, .muted, "not verifiable by design: \(why)")
        case .failed(let why): sheet.item(sheet.glyphs.warning, .attention, "not verified: \(why)")
        case nil:
            sheet.item(
                sheet.glyphs.warning, .attention, "not verified: this is only what the token says of itself; v fetches the issuer's keys")
            // Microsoft Graph's tokens carry a hashed nonce in the header, so that nobody but Graph can check the signature.
            if token.header["nonce"] != nil { sheet.text("its signature can be checked by nobody but its resource, by design", .muted) }
        }
    }

    private func addClaims(_ token: DecodedJWT, _ verified: Verification?, to sheet: inout Sheet) {
        addVerification(token, verified, to: &sheet)
        for (title, claims) in [("Header", token.header), ("Claims", token.payload)] {
            sheet.blank()
            sheet.heading(title)
            for name in claims.names.prefix(100) {
                let meaning = ClaimMeanings.of(name)
                sheet.pair(name, .label, value(name, claims), labelWidth: 14)
                if let meaning { sheet.text(meaning, .muted, indent: min(14, sheet.width / 4)) }
            }
        }
    }

    private func value(_ name: String, _ claims: Claims) -> String {
        if ClaimMeanings.times.contains(name), let date = claims.date(name) { return "\(clock.full(date)), \(clock.relative(date))" }
        let texts = claims.strings(name)
        return texts.isEmpty ? claims.json(name) ?? "" : texts.joined(separator: ", ")
    }
}
