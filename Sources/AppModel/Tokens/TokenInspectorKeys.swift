import Explain
package import Identity
import Keys

extension TokenInspector: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .inspector, "Tokens",
                [.opening("read", "show details")] + views
                    + secrets
                    + KeyBinding.listing + [
                        KeyBinding([.character("s")], .scopes, "consent", "what each client was granted")
                    ] + exporting
                    + KeyBinding.closing + KeyBinding.finding + tools),
            KeyTable(
                .tokenDetails, "One token",
                views + secrets + exporting + neighbours + KeyBinding.reading(tools) + KeyBinding.closing),
        ]
    }

    private static let views = [
        KeyBinding([.tab], .nextView, "view", "next view: claims, times, raw, store entry"),
        KeyBinding([.character(" ")], .choose, "", "mark the token for comparison"),
        KeyBinding([.character("d")], .difference, "compare", "compare with the marked token"),
        KeyBinding([.character("p")], .pasteToken, "paste", "paste a token to inspect it; it is not stored"),
    ]

    private static let neighbours = [
        KeyBinding([.character("]")], .nextItem, "", "next token"),
        KeyBinding([.character("[")], .previousItem, "", "previous token"),
    ]

    private static let exporting = [
        KeyBinding([.character("E")], .export, "", "write header and claims as JSON to a file"),
        KeyBinding([.character("C")], .copyClaims, "", "copy header and claims as JSON to the clipboard"),
    ]

    private static let secrets = [
        KeyBinding(
            [.character("v")], .verify, "verify", "check the signature, or ask the server about an opaque token"),
        KeyBinding([.character("R")], .reveal, "reveal", "show or hide the token (10 s)"),
        KeyBinding([.character("Y")], .copySecret, "", "copy the token itself to the clipboard"),
    ]

    package var keyContext: KeyContext { prompt != nil ? .line : isReading ? .tokenDetails : .inspector }

    package func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .difference: marked != nil
        case .nextItem, .previousItem: count(in: context) > 1
        case .verify: chosen(in: context).map { Self.decoded($0) != nil || canAsk($0, in: context) } ?? false
        case .export, .copyClaims: chosen(in: context).flatMap(Self.decoded) != nil
        case .open where prompt != nil: true
        case .open, .nextView, .choose, .reveal, .copySecret: chosen(in: context) != nil
        case .scopes: owner(in: context) != nil
        default: true
        }
    }

    static func claims(_ credential: CachedCredential) -> Copyable {
        Copyable("header and claims without the signature", decoded(credential).map(DecodedToken.exported))
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard prompt == nil, let chosen = chosen(in: context) else { return [] }
        func look() -> DecodedToken? { Self.decoded(chosen).map(DecodedToken.init) }
        return [
            pageReport(in: context), Self.claims(chosen),
            Copyable(
                "username", Self.parties(chosen, look(), in: context).who ?? owner(in: context)?.account.username),
            Copyable("tenant id", look()?.tenantID ?? chosen.realm),
            Copyable("client id", Self.parties(chosen, look(), in: context).client),
            Copyable(chosen.words, secret: chosen.secret),
        ]
    }

    // MARK: The list

    package func page(in context: Context) -> Page {
        let title =
            table != nil
            ? "Tokens of all accounts" : account.map { "Tokens of " + context.name(of: $0) } ?? "Pasted tokens"
        return Page(
            title: title, rule: { pageTitle(title, in: context) }, tab: .tokens,
            addText: { addText(in: context, to: &$0) }, isList: true, rows: { rows(in: context) },
            selectedRow: selected, isReadingRow: isReading, rowName: "token", marked: entry.map { .place($0) },
            prompt: prompt,
            copyables: { copyables(in: context) })
    }

    private func pageTitle(_ title: String, in context: Context) -> PageTitle {
        var title = PageTitle(crumbs: [title])
        guard let chosen = chosen(in: context) else { return title }
        title.count = isReading && !context.list.showsText ? "" : "\(count(in: context))"
        let crumbs = [owner(in: context).map { context.name(of: $0.id) } ?? "pasted tokens", chosen.words]
        if context.list.showsText {
            title.aside = crumbs.joined(separator: " › ")
        } else if isReading {
            title.crumbs = crumbs
            title.note = "\(selected + 1) of \(count(in: context))"
        }
        return title
    }

    private func rows(in context: Context) -> [String] {
        guard let table else { return credentials(in: context).map { Self.line($0, in: context) } }
        let accounts = context.accounts.accounts
        // With many tokens, the account's name must do for a search: reading all of them would take too long.
        let isShort = table.count <= Self.readAtOnce
        return table.accounts.indices.flatMap { group in
            let overview = accounts[table.accounts[group]]
            let end = group + 1 < table.starts.count ? table.starts[group + 1] : table.count
            let count = end - table.starts[group]
            let tokens = isShort ? Self.credentials(overview).map { Self.line($0, in: context) } : []
            return (0..<count).map { index in
                let words = tokens.indices.contains(index) ? tokens[index] : "token \(index + 1) of \(count)"
                return "\(overview.account.label): \(words)"
            }
        } + pasted.map { Self.line($0, in: context) }
    }

    /// The maximum number of tokens read for a search.
    private static let readAtOnce = 400

    private static func line(_ credential: CachedCredential, in context: Context) -> String {
        [
            credential.isPasted ? "" : context.clientName(credential), credential.words,
            status(credential, in: context).words,
            credential.realm.isEmpty ? "" : context.tenantName(credential.realm), credential.scopes.description,
        ].filter { !$0.isEmpty }.joined(separator: " ")
    }

    package static func kind(_ credential: CachedCredential) -> String {
        switch credential.kind {
        case _ where credential.isPasted: "pasted"
        case .accessToken: credential.tokenType.asciiLowercased == "bearer" ? "access" : credential.tokenType
        case .refreshToken: "refresh"
        case .idToken: "ID"
        }
    }

    package static func short(_ target: String) -> String {
        target.hasPrefix("Microsoft ") ? String(target.dropFirst(10)) : target
    }

    package static func shortScopes(_ credential: CachedCredential) -> String {
        credential.scopes.names.prefix(20).map(ScopeNames.short).joined(separator: " ")
    }

    /// The target, tenant and remaining lifetime for a list.
    package static func facts(_ credential: CachedCredential, in context: Context) -> (
        target: String, tenant: String, left: String
    ) {
        let target: String? =
            switch credential.kind {
            case .accessToken: Self.target(credential, nil, in: context)
            case _ where credential.isPasted: nil
            case .refreshToken, .idToken: context.clientName(credential)
            }
        let tenant = credential.realm.isEmpty ? "" : context.tenantName(credential.realm)
        guard let end = credential.expiresOn else { return (target ?? "", tenant, "") }
        let left = context.clock.seconds(until: end)
        return (target ?? "", tenant, TimeSpan.end(end) { _ in left <= 0 ? "expired" : TimeSpan.words(left) })
    }

    /// The remaining lifetime as a sign and text.
    package static func status(_ credential: CachedCredential, in context: Context) -> (
        sign: Sign, words: String, tone: Tone
    ) {
        let clock = context.clock
        // For a pasted token, a missing signature is more important than its expiry.
        if credential.isPasted, let look = decoded(credential).map(DecodedToken.init), look.unsigned != nil {
            return (.cross, "unsigned", .danger)
        }
        guard credential.kind == .accessToken else {
            let family = credential.familyID.flatMap { $0.isEmpty ? nil : "family " + $0.prefix(20) }
            return credential.kind == .refreshToken
                ? (.renewal, family ?? "stored", .muted) : (.bullet, "identity", .muted)
        }
        guard let end = credential.expiresOn else { return (.empty, "no expiry", .danger) }
        if end <= context.now { return (.empty, "expired " + clock.relative(end), .danger) }
        let label = AccountStatusLabel(.valid(until: end), clock: clock)
        let words = TimeSpan.end(end) { "expires " + clock.relative($0) }
        return credential.isFresh(at: context.now) || credential.isPasted
            ? (label.sign, words, label.tone) : (.quarter, words, .attention)
    }
}

extension CachedCredential {
    package var isPasted: Bool { clientID == TokenInspector.nobody && homeAccountID == nil }

    /// The kind of token; key-bound tokens are named by their type.
    package var words: String {
        switch kind {
        case _ where isPasted: "token"
        case .accessToken: tokenType.asciiLowercased == "bearer" ? "access token" : "\(tokenType) token"
        case .refreshToken: "refresh token"
        case .idToken: "ID token"
        }
    }
}
