import Explain
import FoundationEssentials
import Identity
import Terminal

/// What the store holds of one account, and what is in each token. Secrets are measured, never shown.
struct TokenInspector: Equatable, Sendable {
    /// The ways to look at a token, one after the other.
    enum Look: String, CaseIterable, Sendable { case claims, times, raw, entry, difference }

    /// What is being typed.
    enum Line: Equatable, Sendable {
        /// The name of the file that the claims go into.
        case file(TextField)
        /// A token of anywhere.
        case token(TextField)

        var field: TextField {
            get {
                switch self {
                case .file(let field), .token(let field): field
                }
            }
            set {
                switch self {
                case .file: self = .file(newValue)
                case .token: self = .token(newValue)
                }
            }
        }
    }

    /// Nil when only a token that was pasted is looked at.
    let account: AccountOverview.ID?
    var selected = 0
    /// Whether the keys scroll the details instead of choosing a token.
    var isReading = false
    var scroll = 0
    var look = Look.claims
    /// The token that others are compared with.
    var marked: String?
    var line: Line?
    /// By the tokens themselves, until the store is read again.
    var verified: [Secret: Verification] = [:]
    /// The entries behind the tokens, masked, by the tokens' keys.
    var entries: [String: String] = [:]
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

    init(account: AccountOverview.ID?) { self.account = account }

    mutating func reveal(_ id: String, at now: Date) {
        revealed = Revealed(id: id, until: now.addingTimeInterval(Self.revealSeconds))
    }
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

    /// What was found of the store's tokens. A look that is under way goes on, and what was pasted is not of the store.
    mutating func forgetFindings() {
        let pasted = Set(pasted.map(\.secret))
        verified = verified.filter { $0.value == .checking || pasted.contains($0.key) }
    }

    mutating func type(_ key: Key) {
        if case .token(let field) = line, case .paste(let text) = key, field.isEmpty {
            // A token can be longer than a line that is typed: it is taken whole, without going through the line.
            take(Secret(Self.trimmed(text)))
            return
        }
        line?.field.press(key)
    }

    /// What surrounds a token where it was copied from: white space, and the word of an Authorization header.
    static func trimmed(_ text: String) -> String {
        var words = text.split(whereSeparator: \.isWhitespace)
        if words.count > 1, ["bearer", "dpop", "pop"].contains(String(words[0]).asciiLowercased) {
            words.removeFirst()
        }
        return words.joined()
    }

    mutating func take(_ secret: Secret) {
        line = nil
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
        self.look = .claims
        scroll = 0
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
}

extension CachedCredential {
    var isPasted: Bool { clientID == TokenInspector.nobody && homeAccountID == nil }

    /// What it is, for a person: a token that is bound to a key is told apart.
    var words: String {
        switch kind {
        case _ where isPasted: "token"
        case .accessToken: tokenType.asciiLowercased == "bearer" ? "access token" : "\(tokenType) token"
        case .refreshToken: "refresh token"
        case .idToken: "ID token"
        }
    }
}

extension State {
    var inspectorScreen: TokenInspector? {
        guard case .inspector(let screen) = top else { return nil }
        return screen
    }

    /// The account's tokens, then what was pasted.
    func credentials(_ inspector: TokenInspector) -> [CachedCredential] {
        TokenInspector.credentials(inspector.account.flatMap(overview)) + inspector.pasted
    }

    func chosen(_ inspector: TokenInspector) -> CachedCredential? {
        let all = credentials(inspector)
        return all.indices.contains(inspector.selected) ? all[inspector.selected] : nil
    }

    mutating func perform(_ command: Command, _ given: TokenInspector) -> [Effect] {
        var inspector = given
        let last = max(0, credentials(given).count - 1)
        let chosen = chosen(given)
        switch command {
        case .open where given.line != nil: return takeLine(given, chosen)
        case .back where given.line != nil: inspector.line = nil
        case .verify:
            guard let chosen else { return [] }
            inspector.verified[chosen.secret] = .checking
            replaceTop(.inspector(inspector))
            return [.verify(chosen)]
        case .reveal:
            guard let chosen else { return [] }
            if inspector.secondsShown(chosen.id, at: now) == nil {
                inspector.reveal(chosen.id, at: now)
            } else {
                inspector.hideSecret()
            }
        case .copySecret:
            guard let chosen else { return [] }
            notice =
                """
                the \(chosen.words) was handed to the clipboard; it is cleared in \(Self.clipboardLife) s, and \
                when foyer ends
                """
            return [.copySecret(chosen.secret)]
        case .copyClaims:
            guard let token = chosen.flatMap(decoded) else { return [] }
            notice = "header and claims were handed to the clipboard, without the signature"
            return [.copy(DecodedToken.exported(token))]
        case .export: inspector.line = .file(TextField("claims.json"))
        case .pasteToken: inspector.line = .token(TextField())
        case .nextView: return turn(given, chosen)
        case .choose:
            inspector.marked = inspector.marked == chosen?.id ? nil : chosen?.id
            if let chosen, inspector.marked != nil {
                notice = "the \(chosen.words) is marked: d on another one tells the difference"
            }
        case .difference:
            guard inspector.marked != nil else {
                notice = "mark a token with Space first, then go to another one"
                return []
            }
            inspector.look = inspector.look == .difference ? .claims : .difference
            inspector.isReading = true
            inspector.scroll = 0
        case .back: inspector.isReading = false
        case .scopes:
            guard let account = given.account else { return [] }
            stack.append(.scopes(ScopeConsent(account: account)))
            return []
        case .open where !given.isReading: inspector.isReading = true
        default:
            guard !given.isReading else {
                scroll(command)
                return []
            }
            inspector.selected = command.moved(from: given.selected, last: last, page: max(1, size.rows - 6))
        }
        if inspector.selected != given.selected { inspector.hideSecret() }
        if inspector.selected != given.selected || !inspector.isReading { inspector.scroll = 0 }
        replaceTop(.inspector(inspector))
        return wantsEntry(inspector)
    }

    /// Goes to a token of the list, found or clicked.
    mutating func chooseToken(_ index: Int) {
        guard var inspector = inspectorScreen, credentials(inspector).indices.contains(index) else { return }
        if index != inspector.selected {
            inspector.hideSecret()
            inspector.scroll = 0
        }
        inspector.selected = index
        replaceTop(.inspector(inspector))
    }

    func decoded(_ credential: CachedCredential) -> DecodedJWT? {
        credential.kind == .refreshToken ? nil : try? DecodedJWT(credential.secret)
    }

    /// The next way to look at the token.
    private mutating func turn(_ given: TokenInspector, _ chosen: CachedCredential?) -> [Effect] {
        var inspector = given
        let looks = TokenInspector.Look.allCases.filter { $0 != .difference }
        let index = looks.firstIndex(of: given.look) ?? looks.count - 1
        inspector.look = looks[(index + 1) % looks.count]
        inspector.scroll = 0
        inspector.hideSecret()
        // On a narrow screen there is nothing else to see of it.
        inspector.isReading = given.isReading || !Self.isWide(size.columns)
        replaceTop(.inspector(inspector))
        return wantsEntry(inspector)
    }

    /// The entry is read from the store when it is looked at.
    func wantsEntry(_ inspector: TokenInspector) -> [Effect] {
        guard inspector.look == .entry, let chosen = chosen(inspector), !chosen.isPasted,
            inspector.entries[chosen.id] == nil
        else {
            return []
        }
        return [.readEntry(chosen, store: inspector.account?.store)]
    }

    private mutating func takeLine(_ given: TokenInspector, _ chosen: CachedCredential?) -> [Effect] {
        var inspector = given
        var effects: [Effect] = []
        switch given.line {
        case .token(let field):
            inspector.take(Secret(TokenInspector.trimmed(field.text)))
        case .file(let field):
            inspector.line = nil
            let name = field.text
            if let token = chosen.flatMap(decoded), !name.isEmpty {
                effects = [.export(DecodedToken.exported(token), toFile: name)]
            }
        case nil: break
        }
        replaceTop(.inspector(inspector))
        if inspector.pasted.count > given.pasted.count { choosePasted() }
        return effects
    }

    /// What was pasted is what is looked at.
    mutating func choosePasted() {
        guard var inspector = inspectorScreen else { return }
        inspector.selected = max(0, credentials(inspector).count - 1)
        replaceTop(.inspector(inspector))
    }

    /// The answer of ``Effect/verify(_:)``: dropped when the screen is gone.
    mutating func land(_ finding: Verification, of token: Secret) {
        for index in stack.indices {
            guard case .inspector(var inspector) = stack[index], inspector.verified[token] != nil else { continue }
            inspector.verified[token] = finding
            stack[index] = .inspector(inspector)
        }
    }

    /// The answer of ``Effect/readEntry(_:store:)``.
    mutating func land(entry: String, of id: String) {
        for index in stack.indices {
            guard case .inspector(var inspector) = stack[index] else { continue }
            inspector.entries[id] = entry
            stack[index] = .inspector(inspector)
        }
    }

    /// After a reload there may be fewer tokens than before, and others behind the same keys.
    mutating func keepInspectorInside() -> [Effect] {
        var effects: [Effect] = []
        for index in stack.indices {
            guard case .inspector(var inspector) = stack[index] else { continue }
            inspector.selected = min(inspector.selected, max(0, credentials(inspector).count - 1))
            inspector.entries = [:]
            inspector.forgetFindings()
            stack[index] = .inspector(inspector)
            effects += wantsEntry(inspector)
        }
        return effects
    }

    static func isWide(_ columns: Int) -> Bool { columns >= 110 }
}
