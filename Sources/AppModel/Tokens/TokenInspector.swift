import Explain
import FoundationEssentials
package import Identity
import Keys

/// The tokens of an account and their contents. Secrets are hidden unless revealed.
package struct TokenInspector: Equatable, Sendable {
    /// The views of a token, in order.
    package enum View: String, CaseIterable, Sendable {
        case claims = "Claims", times = "Times", raw = "Raw", entry = "Store entry", difference = "Difference"
    }

    enum Purpose: Equatable, Sendable { case file, token }

    /// The subject of a request.
    private enum Wanted: Equatable, Sendable {
        /// The signature of this token itself, because a refresh may store another one under the same key.
        case signature(Secret)
        case entry(String)
    }

    /// Nil if the tokens of all accounts are listed, or only pasted ones.
    package let account: AccountOverview.ID?
    /// Ranges of all accounts' tokens; nil if those of one account are listed.
    private(set) var table: TokenTable?
    package var isOfAll: Bool { table != nil }
    private(set) var cursor = ListCursor()
    /// The token under the cursor on the last frame.
    private var held: HeldToken?
    /// Whether keys scroll the details instead of selecting a token.
    package private(set) var isReading = false
    package var scroll = 0
    private(set) var view = View.claims
    /// The claim that is shown in full while the token is open.
    private var claim = 0
    /// The token to compare others with.
    package private(set) var marked: CachedCredential?
    package private(set) var prompt: TextPrompt?
    private var purpose = Purpose.token
    private var wanted: [RequestID: Wanted] = [:]
    /// By the tokens themselves, until the store is read again.
    private(set) var verified: [Secret: Verification] = [:]
    /// Masked store entries by the tokens' keys.
    private(set) var entries: [String: String] = [:]
    /// Pasted tokens, latest last; discarded with the page.
    private(set) var pasted: [CachedCredential] = []
    /// The revealed token, and until when.
    private var revealed: Revealed?

    private struct Revealed: Equatable, Sendable {
        var id: String
        var until: Date
    }

    /// Seconds until a revealed token is hidden.
    static let revealSeconds = 10.0
    /// Placeholder for the client of a pasted token.
    static let nobody = "pasted here"

    package init(account: AccountOverview.ID) { self.account = account }

    private init() { account = nil }

    /// A page for inspecting a pasted token.
    static var forPasting: TokenInspector {
        var inspector = TokenInspector()
        inspector.startPasting()
        return inspector
    }

    /// The tokens of all accounts.
    ///
    /// - Parameter account: the account to start at; nil for the first.
    static func ofAll(in context: Context, at account: AccountOverview.ID?) -> TokenInspector {
        var inspector = TokenInspector()
        let table = TokenTable(context.accounts)
        inspector.table = table
        let rows = context.accounts.accounts
        if let account, let group = table.accounts.firstIndex(where: { rows[$0].isMeant(by: account.whole) }) {
            inspector.cursor.select(table.starts[group], count: table.count)
        }
        return inspector
    }

    package var selected: Int { cursor.selected }

    /// Claims can be selected while the token is open.
    package var entry: Int? { isReading && view == .claims && prompt == nil ? claim : nil }

    /// The number that selects a token even while claims are selected.
    package static func place(ofToken index: Int) -> Int { -1 - index }

    /// Seconds until the secret is hidden; nil if it is not shown.
    func secondsShown(_ id: String, at now: Date) -> Int? {
        guard let revealed, revealed.id == id, revealed.until > now else { return nil }
        return max(1, Int(exactly: revealed.until.timeIntervalSince(now).rounded(.up)) ?? 1)
    }

    /// In a fixed order: by client, access tokens first, the home tenant before others.
    static func credentials(_ overview: AccountOverview?) -> [CachedCredential] {
        guard let overview else { return [] }
        let home = overview.account.homeTenantID
        func order(_ token: CachedCredential) -> (String, Int, String, String) {
            let tenant = token.realm == home ? "" : overview.account.domain(in: token.realm) ?? token.realm
            return (token.clientID, CachedCredential.Kind.allCases.firstIndex(of: token.kind) ?? 0, tenant, token.id)
        }
        return overview.credentials.map { (order($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Clears results about the store's tokens, but not running requests or pasted tokens.
    private mutating func forgetFindings() {
        let pasted = Set(pasted.map(\.secret))
        verified = verified.filter { $0.value == .checking || pasted.contains($0.key) }
    }

    mutating func type(_ key: Key, in context: Context) {
        if purpose == .token, case .paste(let text) = key, prompt?.field.isEmpty == true {
            // A token may exceed the line's limit, so it is not inserted into the line.
            take(Secret(Self.trimmed(text)), in: context)
            return
        }
        prompt?.field.handle(key)
    }

    /// Strips white space and the scheme of an Authorization header.
    static func trimmed(_ text: String) -> String {
        var words = text.split(whereSeparator: \.isWhitespace)
        if words.count > 1, ["bearer", "dpop", "pop"].contains(String(words[0]).asciiLowercased) {
            words.removeFirst()
        }
        return words.joined()
    }

    /// Whether nothing is left to show: a page for pasting, without a pasted token.
    private var isBlank: Bool { account == nil && table == nil && pasted.isEmpty && prompt == nil }

    private mutating func take(_ secret: Secret, in context: Context) {
        prompt = nil
        guard !secret.isEmpty, pasted.count < 20 else { return }
        let token = try? DecodedJWT(secret)
        let look = token.map(DecodedToken.init)
        pasted.append(
            CachedCredential(
                id: "pasted \(pasted.count + 1)", kind: .accessToken, clientID: Self.nobody, homeAccountID: nil,
                environment: token?.payload.string("iss") ?? "", scopes: look?.scopes ?? [], secret: secret,
                cachedAt: look?.issuedAt,
                expiresOn: look?.expiresAt))
        revealed = nil
        isReading = false
        view = .claims
        claim = 0
        scroll = 0
        // Show the pasted token.
        cursor.move(.last, count: count(in: context), page: 1)
    }

    /// The tokens of the current account, then pasted ones.
    package func credentials(in context: Context) -> [CachedCredential] {
        (table == nil || owner(in: context) != nil ? Self.credentials(owner(in: context)) : []) + pasted
    }

    static func decoded(_ credential: CachedCredential) -> DecodedJWT? {
        credential.kind == .refreshToken ? nil : try? DecodedJWT(credential.secret)
    }

    // MARK: Events

    package func awaits(_ request: RequestID) -> Bool { wanted[request] != nil }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .text(let key), .command(.edit, let key):
            type(key, in: context)
            return isBlank ? [.close] : []
        case .command(let command, _): return perform(command, in: context)
        case .select(let place) where place >= 0 && entry != nil:
            claim = min(place, max(0, claimCount(in: context) - 1))
        case .select(let place):
            choose(in: context) { $0.select(place < 0 ? -1 - place : place, count: $1) }
            return wantsEntry(in: context)
        case .reply(let reply, let request): return receive(reply, request, in: context)
        case .storeChanged:
            // There may be fewer tokens than before, and new ones under the same keys.
            if table != nil { table = TokenTable(context.accounts) }
            followHeld(in: context)
            entries = [:]
            forgetFindings()
            return wantsEntry(in: context)
        default: break
        }
        return []
    }

    private struct HeldToken: Equatable {
        /// Nil for a pasted token.
        let owner: AccountOverview.ID?
        let id: String
    }

    package mutating func hold(in context: Context) {
        held = chosen(in: context).map { token in
            HeldToken(owner: token.isPasted ? nil : owner(in: context)?.id, id: token.id)
        }
    }

    /// Keeps the selection on its token. If that is gone, its details are closed, not replaced by another one's.
    private mutating func followHeld(in context: Context) {
        guard let held else { return cursor.select(selected, count: count(in: context)) }
        var place: Int?
        if let table, let owner = held.owner {
            let rows = context.accounts.accounts
            if let group = table.accounts.firstIndex(where: { rows[$0].id == owner }) {
                place = Self.credentials(rows[table.accounts[group]]).firstIndex { $0.id == held.id }
                    .map { $0 + table.starts[group] }
            }
        } else if let table {
            place = pasted.firstIndex { $0.id == held.id }.map { $0 + table.count }
        } else {
            place = credentials(in: context).firstIndex { $0.id == held.id }
        }
        if place == nil { (isReading, revealed) = (false, nil) }
        cursor.select(place ?? selected, count: count(in: context))
    }

    private mutating func receive(_ reply: Reply, _ request: RequestID, in context: Context) -> [Action] {
        let wanted = wanted.removeValue(forKey: request)
        switch (reply, wanted) {
        case (.verified(let finding), .signature(let token)):
            guard verified[token] != nil else { break }
            verified[token] = finding
            guard case .mayAsk(let host) = finding,
                let credential = credentials(in: context).first(where: { $0.secret == token })
            else {
                let isOpaque = (try? DecodedJWT(token)) == nil
                return [.notice(isOpaque ? finding.opaqueWords : finding.wholeWords)]
            }
            // The same request continues if the user allows it.
            self.wanted[request] = .signature(token)
            return [.open(VerifyConfirmation(credential, host: host, request))]
        case (.entry(let text), .entry(let id)): entries[id] = text
        default: break
        }
        return []
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        let chosen = chosen(in: context)
        switch command {
        case .open where prompt != nil: return takeLine(chosen, in: context)
        case .back where prompt != nil:
            prompt = nil
            return isBlank ? [.close] : []
        case .back where isReading:
            isReading = false
            scroll = 0
        case .back: return [.close]
        case .verify:
            guard let chosen else { return [] }
            verified[chosen.secret] = .checking
            wanted[context.nextRequest] = .signature(chosen.secret)
            return [.perform(.verify(chosen, mayAsk: nil, context.nextRequest))]
        case .reveal:
            guard let chosen else { return [] }
            guard secondsShown(chosen.id, at: context.now) == nil else {
                revealed = nil
                return []
            }
            // The raw view starts with the revealed token.
            view = .raw
            scroll = 0
            isReading = isReading || !context.list.showsText
            revealed = Revealed(id: chosen.id, until: context.now.addingTimeInterval(Self.revealSeconds))
        case .copySecret: return chosen.map { Copyable($0.words, secret: $0.secret).actions(in: context) } ?? []
        case .copyClaims: return chosen.map(Self.claims)?.actions(in: context) ?? []
        case .export:
            purpose = .file
            prompt = TextPrompt("write to", hint: "name of a new file", text: "claims.json")
        case .pasteToken: startPasting()
        case .nextView: turn(in: context)
        case .choose:
            marked = marked == chosen ? nil : chosen
            if let chosen, marked != nil {
                let difference = context.name(of: .difference, at: textContext)
                return [.notice("\(chosen.words) marked: \(difference) on another token to compare")]
            }
        case .difference:
            guard marked != nil else {
                let mark = context.name(of: .choose, at: textContext)
                return [.notice("mark a token with \(mark) first, then select another")]
            }
            view = view == .difference ? .claims : .difference
            isReading = true
            scroll = 0
        case .scopes: return owner(in: context).map { [.open(ScopeConsent(account: $0.id))] } ?? []
        case .open:
            isReading = true
            scroll = 0
        case .nextItem, .previousItem:
            choose(in: context) { $0.move(command == .nextItem ? .down : .up, count: $1, page: 1) }
        case _ where entry != nil: return [.moveEntry(command)]
        case _ where isReading: return [.scroll(command)]
        default: choose(in: context) { $0.move(command, count: $1, page: max(1, context.list.rows - 4)) }
        }
        return wantsEntry(in: context)
    }

    /// Selects another token: hides a revealed one and scrolls to the top.
    private mutating func choose(in context: Context, _ move: (inout ListCursor, Int) -> Void) {
        let before = selected
        move(&cursor, count(in: context))
        guard selected != before else { return }
        revealed = nil
        claim = 0
        scroll = 0
    }

    private mutating func startPasting() {
        purpose = .token
        prompt = TextPrompt("paste a token:", hint: "it is not stored", isMasked: true)
    }

    private mutating func turn(in context: Context) {
        view = View.allCases.filter { $0 != .difference }.next(after: view)
        claim = 0
        scroll = 0
        revealed = nil
        // If only the list is visible, open the token.
        isReading = isReading || !context.list.showsText
    }

    /// Includes the store, because two stores can have the same key.
    func entryKey(_ credential: CachedCredential, in context: Context) -> String {
        (owner(in: context)?.id.store ?? "") + "\n" + credential.id
    }

    /// Reads the entry from the store when it is first shown.
    private mutating func wantsEntry(in context: Context) -> [Action] {
        guard view == .entry, let chosen = chosen(in: context), !chosen.isPasted,
            entries[entryKey(chosen, in: context)] == nil
        else {
            return []
        }
        wanted[context.nextRequest] = .entry(entryKey(chosen, in: context))
        return [.perform(.readEntry(chosen, store: owner(in: context)?.id.store, context.nextRequest))]
    }

    private mutating func takeLine(_ chosen: CachedCredential?, in context: Context) -> [Action] {
        let text = prompt?.field.text ?? ""
        prompt = nil
        switch purpose {
        case .token:
            take(Secret(Self.trimmed(text)), in: context)
            return isBlank ? [.close] : []
        case .file:
            guard let token = chosen.flatMap(Self.decoded), !text.isEmpty else { return [] }
            return [.perform(.export(DecodedToken.exported(token), toFile: text))]
        }
    }
}
