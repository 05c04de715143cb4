import Explain
import FoundationEssentials
package import Identity
import Keys

/// What the store holds of one account, and what is in each token. Secrets are measured, never shown.
package struct TokenInspector: Equatable, Sendable {
    /// The ways to look at a token, one after the other.
    package enum View: String, CaseIterable, Sendable { case claims, times, raw, entry, difference }

    /// What the line that is typed is for.
    enum Purpose: Equatable, Sendable {
        /// The name of the file that the claims go into.
        case file
        /// A token of anywhere.
        case token
    }

    /// What a request is about.
    private enum Wanted: Equatable, Sendable {
        /// The signature of this very token: a refresh may store another one under the same key.
        case signature(Secret)
        /// The entry behind the token with this key.
        case entry(String)
    }

    /// Nil when only a token that was pasted is looked at.
    package let account: AccountOverview.ID?
    private(set) var cursor = ListCursor()
    /// Whether the keys scroll the details instead of choosing a token.
    package private(set) var isReading = false
    package var scroll = 0
    private(set) var view = View.claims
    /// The token that others are compared with.
    package private(set) var marked: String?
    package private(set) var prompt: TextPrompt?
    private var purpose = Purpose.token
    private var wanted: [RequestID: Wanted] = [:]
    /// By the tokens themselves, until the store is read again.
    private(set) var verified: [Secret: Verification] = [:]
    /// The entries behind the tokens, masked, by the tokens' keys.
    private(set) var entries: [String: String] = [:]
    /// What was pasted, the latest last: gone with the screen.
    private(set) var pasted: [CachedCredential] = []
    /// The token whose secret is shown, and until when.
    private var revealed: Revealed?

    private struct Revealed: Equatable, Sendable {
        var id: String
        var until: Date
    }

    /// A secret stays on the screen for so many seconds.
    static let revealSeconds = 10.0
    /// Stands for the client of a token that was pasted.
    static let nobody = "pasted here"

    package init(account: AccountOverview.ID) { self.account = account }

    private init() { account = nil }

    /// To look at a token of anywhere.
    package static var forPasting: TokenInspector {
        var inspector = TokenInspector()
        inspector.startPasting()
        return inspector
    }

    package var selected: Int { cursor.selected }

    private mutating func reveal(_ id: String, at now: Date) {
        revealed = Revealed(id: id, until: now.addingTimeInterval(Self.revealSeconds))
    }
    private mutating func hideSecret() { revealed = nil }

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

    /// What was found of the store's tokens. A look that is under way goes on, and what was pasted is not of the store.
    private mutating func forgetFindings() {
        let pasted = Set(pasted.map(\.secret))
        verified = verified.filter { $0.value == .checking || pasted.contains($0.key) }
    }

    mutating func type(_ key: Key, in context: Context) {
        if purpose == .token, case .paste(let text) = key, prompt?.field.isEmpty == true {
            // A token can be longer than a line that is typed: it is taken whole, without going through the line.
            take(Secret(Self.trimmed(text)), in: context)
            return
        }
        prompt?.field.handle(key)
    }

    /// What surrounds a token where it was copied from: white space, and the word of an Authorization header.
    static func trimmed(_ text: String) -> String {
        var words = text.split(whereSeparator: \.isWhitespace)
        if words.count > 1, ["bearer", "dpop", "pop"].contains(String(words[0]).asciiLowercased) {
            words.removeFirst()
        }
        return words.joined()
    }

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
        hideSecret()
        isReading = false
        view = .claims
        scroll = 0
        // What was pasted is what is looked at.
        cursor.move(.last, count: credentials(in: context).count, page: 1)
    }

    /// The account's tokens, then what was pasted.
    package func credentials(in context: Context) -> [CachedCredential] {
        Self.credentials(account.flatMap(context.overview)) + pasted
    }

    package func chosen(in context: Context) -> CachedCredential? {
        let all = credentials(in: context)
        return all.indices.contains(selected) ? all[selected] : nil
    }

    static func decoded(_ credential: CachedCredential) -> DecodedJWT? {
        credential.kind == .refreshToken ? nil : try? DecodedJWT(credential.secret)
    }

    // MARK: Events

    package func awaits(_ request: RequestID) -> Bool { wanted[request] != nil }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .text(let key), .command(.edit, let key): type(key, in: context)
        case .command(let command, _): return perform(command, in: context)
        case .select(let place):
            choose(in: context) { $0.select(place, count: $1) }
            return wantsEntry(in: context)
        case .reply(let reply, let request): receive(reply, wanted.removeValue(forKey: request))
        case .storeChanged:
            // There may be fewer tokens than before, and others behind the same keys.
            cursor.select(selected, count: credentials(in: context).count)
            entries = [:]
            forgetFindings()
            return wantsEntry(in: context)
        default: break
        }
        return []
    }

    private mutating func receive(_ reply: Reply, _ wanted: Wanted?) {
        switch (reply, wanted) {
        case (.verified(let finding), .signature(let token)): if verified[token] != nil { verified[token] = finding }
        case (.entry(let text), .entry(let id)): entries[id] = text
        default: break
        }
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        let chosen = chosen(in: context)
        switch command {
        case .open where prompt != nil: return takeLine(chosen, in: context)
        case .back where prompt != nil: prompt = nil
        case .back where isReading:
            isReading = false
            scroll = 0
        case .back: return [.close]
        case .verify:
            guard let chosen else { return [] }
            verified[chosen.secret] = .checking
            wanted[context.nextRequest] = .signature(chosen.secret)
            return [.perform(.verify(chosen, context.nextRequest))]
        case .reveal:
            guard let chosen else { return [] }
            if secondsShown(chosen.id, at: context.now) == nil {
                reveal(chosen.id, at: context.now)
            } else {
                hideSecret()
            }
        case .copySecret:
            guard let chosen else { return [] }
            let life = Context.clipboardLife
            return [
                .notice(
                    "the \(chosen.words) copied to the clipboard; cleared in \(life) s, and when foyer exits"),
                .perform(.copySecret(chosen.secret)),
            ]
        case .copyClaims:
            guard let token = chosen.flatMap(Self.decoded) else { return [] }
            return [
                .notice("header and claims copied to the clipboard, without the signature"),
                .perform(.copy(DecodedToken.exported(token))),
            ]
        case .export:
            purpose = .file
            prompt = TextPrompt("write to", hint: "name of a new file", text: "claims.json")
        case .pasteToken: startPasting()
        case .nextView: turn(in: context)
        case .choose:
            marked = marked == chosen?.id ? nil : chosen?.id
            if let chosen, marked != nil {
                let difference = context.name(of: .difference, at: textContext)
                return [.notice("the \(chosen.words) marked: \(difference) on another token compares the two")]
            }
        case .difference:
            guard marked != nil else {
                let mark = context.name(of: .choose, at: textContext)
                return [.notice("mark a token with \(mark) first, then select another")]
            }
            view = view == .difference ? .claims : .difference
            isReading = true
            scroll = 0
        case .scopes: return account.map { [.open(ScopeConsent(account: $0))] } ?? []
        case .open: isReading = true
        case _ where isReading: return [.scroll(command)]
        default: choose(in: context) { $0.move(command, count: $1, page: max(1, context.list.rows - 4)) }
        }
        return wantsEntry(in: context)
    }

    /// Another token: its secret is not shown, and its text is read from the beginning.
    private mutating func choose(in context: Context, _ move: (inout ListCursor, Int) -> Void) {
        let before = selected
        move(&cursor, credentials(in: context).count)
        guard selected != before else { return }
        hideSecret()
        scroll = 0
    }

    private mutating func startPasting() {
        purpose = .token
        prompt = TextPrompt("token", hint: "paste a token", isMasked: true)
    }

    /// The next way to look at the token.
    private mutating func turn(in context: Context) {
        let views = View.allCases.filter { $0 != .difference }
        let index = views.firstIndex(of: view) ?? views.count - 1
        view = views[(index + 1) % views.count]
        scroll = 0
        hideSecret()
        // Where only the list is seen, there is nothing else to see of it.
        isReading = isReading || !context.list.showsText
    }

    /// The entry is read from the store when it is looked at.
    private mutating func wantsEntry(in context: Context) -> [Action] {
        guard view == .entry, let chosen = chosen(in: context), !chosen.isPasted, entries[chosen.id] == nil else {
            return []
        }
        wanted[context.nextRequest] = .entry(chosen.id)
        return [.perform(.readEntry(chosen, store: account?.store, context.nextRequest))]
    }

    private mutating func takeLine(_ chosen: CachedCredential?, in context: Context) -> [Action] {
        let text = prompt?.field.text ?? ""
        prompt = nil
        switch purpose {
        case .token:
            take(Secret(Self.trimmed(text)), in: context)
            return []
        case .file:
            guard let token = chosen.flatMap(Self.decoded), !text.isEmpty else { return [] }
            return [.perform(.export(DecodedToken.exported(token), toFile: text))]
        }
    }
}
