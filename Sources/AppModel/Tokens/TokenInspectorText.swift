package import Explain
import FoundationEssentials
import Identity

// The text about one token: a summary first, then the data.
extension TokenInspector {
    /// The context of the commands that text mentions, even while a line is typed.
    var textContext: KeyContext { isReading ? .tokenDetails : .inspector }

    func addText(in context: Context, to block: inout TextBlock) {
        guard let chosen = chosen(in: context) else {
            block.text(
                table != nil
                    ? "no tokens in the store" : account == nil ? "paste a token; it is not stored" : "no tokens left",
                .muted)
            return
        }
        let token = Self.decoded(chosen)
        let look = token.map(DecodedToken.init)
        addAnswer(chosen, look, in: context, to: &block)
        addViews(in: context, to: &block)
        switch view {
        case .claims: addClaims(chosen, look, in: context, to: &block)
        case .times: addTimes(chosen, in: context, to: &block)
        case .raw: addRaw(chosen, token, in: context, to: &block)
        case .entry: addEntry(chosen, in: context, to: &block)
        case .difference: addDifference(chosen, in: context, to: &block)
        }
    }

    // MARK: The answer

    func verification(of credential: CachedCredential) -> Verification { verified[credential.secret] ?? .notChecked }

    /// Adds the kind, parties, expiry, verification result and permissions.
    private func addAnswer(
        _ credential: CachedCredential, _ look: DecodedToken?, in context: Context, to block: inout TextBlock
    ) {
        let permissions = look == nil ? Self.permissions(credential, in: context) : []
        let verdict = TokenVerdict(
            look, expiresOn: credential.expiresOn, permissions: permissions, verification(of: credential),
            at: context.now)
        let left = verdict.spans(context.clock, isCached: !credential.isPasted)
        var right: [TextSpan] = []
        if look != nil, verdict.findings.contains(.signature(.notChecked)) {
            right = [TextSpan(context.name(of: .verify, at: textContext), .key), TextSpan(" to verify", .muted)]
        } else if look == nil, verification(of: credential) == .notChecked, canAsk(credential, in: context) {
            right = [
                TextSpan(context.name(of: .verify, at: textContext), .key), TextSpan(" to ask its server", .muted),
            ]
        }
        if !left.isEmpty { block.moving { $0.add(.sides(left, right)) } }
        let title = [TextSpan(Self.headline(credential, look, in: context), .emphasis, isBold: true)]
        let (who, tenant, client) = Self.parties(credential, look, in: context)
        let facts = [tenant, client.map { "client \(context.clientName($0))" }].compactMap(\.self).joined(
            separator: " · ")
        var (long, short) = (TextBlock(), TextBlock())
        long.add(.sides(title, [TextSpan(facts, .muted)]))
        if let who { long.text(who) }
        short.add(.sides(title, [TextSpan(facts, .muted)]))
        if let look { Self.addPermissions(look, to: &long, &short) }
        if !permissions.isEmpty { Self.add(permissions, "granted", to: &long, &short) }
        block.add(.either(long, short))
    }

    static func headline(_ credential: CachedCredential, _ look: DecodedToken?, in context: Context) -> String {
        var name = credential.words
        if credential.isPasted {
            name = "pasted token"
        } else if credential.kind == .refreshToken, credential.familyID?.isEmpty == false {
            name = "family refresh token"
        }
        let words = name.prefix(1).uppercased() + name.dropFirst()
        guard credential.kind == .accessToken, let target = target(credential, look, in: context) else { return words }
        return "\(words) for \(target)"
    }

    /// The resource of an access token: from its audience, else from its scopes.
    static func target(_ credential: CachedCredential, _ look: DecodedToken?, in context: Context) -> String? {
        if let audience = look?.audiences.first, !audience.isEmpty {
            let name = ScopeMeaning.resourceName(audience)
            return name != audience ? name : context.knownClient(audience) ?? name
        }
        if let server = context.server(of: credential) { return server.title }
        guard let group = credential.scopes.withoutReserved.byResource.first else { return nil }
        let resource =
            group.resource.isEmpty ? ScopeMeaning.resource(ofBare: group.scopes.names) : group.resource
        return resource.isEmpty ? nil : ScopeMeaning.resourceName(resource)
    }

    /// The user, the tenant's name, and the client ID.
    static func parties(_ credential: CachedCredential, _ look: DecodedToken?, in context: Context) -> (
        who: String?, tenant: String?, client: String?
    ) {
        let tenant = look?.tenantID ?? (credential.realm.isEmpty ? nil : credential.realm)
        let pasted = look?.clientID ?? (look?.scopes.isEmpty == true ? look?.audiences.first : nil)
        let client = credential.isPasted ? pasted : credential.clientID
        return (look?.subjectName, tenant.map { context.tenantName($0) }, client)
    }

    /// Those of an opaque token of a known server.
    private static func permissions(_ credential: CachedCredential, in context: Context) -> [TokenPermission] {
        guard credential.kind == .accessToken, let server = context.server(of: credential) else { return [] }
        return TokenPermission.all(of: credential.scopes.withoutReserved, at: .server(server))
    }

    private static func addPermissions(_ look: DecodedToken, to long: inout TextBlock, _ short: inout TextBlock) {
        let own = look.permissions.filter { permission in
            permission.kind != .scope || !ScopeSet([permission.name]).withoutReserved.isEmpty
        }
        // If there are only OpenID Connect's scopes, list those.
        let permissions = own.isEmpty ? look.permissions : own
        guard !permissions.isEmpty else { return }
        let manner = look.scopes.isEmpty ? "app-only" : "delegated (on behalf of the user)"
        add(permissions, permissions.contains { $0.kind != .directoryRole } ? manner : "", to: &long, &short)
    }

    /// As a table if there is room, else as one line.
    private static func add(
        _ permissions: [TokenPermission], _ manner: String, to long: inout TextBlock, _ short: inout TextBlock
    ) {
        long.add(.sides([TextSpan("Allows", .title, isBold: true)], [TextSpan(manner, .muted)]))
        let width = min(36, permissions.map(\.name.count).max() ?? 0) + 2
        for permission in permissions.prefix(TokenPermission.most) {
            long.add(
                TextBlock.Fact(
                    name: TextSpan(permission.told, permission.risk?.tone ?? .muted), nameWidth: 11,
                    value: TextSpan(permission.name), valueWidth: width,
                    meaning: TextSpan(permission.sentence ?? "", .muted)))
        }
        var line = [TextSpan("Allows", .title, isBold: true)]
        let most = 8
        for permission in permissions.prefix(most) {
            line.append(TextSpan("  " + permission.told, permission.risk?.tone ?? .muted))
            line.append(TextSpan(" " + permission.name))
        }
        if permissions.count > most { line.append(TextSpan("  and \(permissions.count - most) more", .muted)) }
        short.add(.sides(line, []))
    }

    private func addViews(in context: Context, to block: inout TextBlock) {
        let views = View.allCases.filter { $0 != .difference || view == .difference }
        block.add(
            .views(
                views.map(\.rawValue), marked: views.firstIndex(of: view) ?? 0,
                key: context.name(of: .nextView, at: textContext)))
    }

    // MARK: Claims

    private func addClaims(
        _ credential: CachedCredential, _ look: DecodedToken?, in context: Context, to block: inout TextBlock
    ) {
        let stored = look == nil ? noted(credential, in: context) : []
        let answer = look == nil ? answered(credential, in: context) : nil
        let rows = look.map { claimRows(credential, $0, in: context) } ?? stored + (answer?.rows ?? [])
        let longest = rows.map(\.name.count).max() ?? 0
        let nameWidth = min(max(longest, 6), 10) + 1
        for (number, row) in rows.enumerated() {
            if let answer, number == stored.count { block.text("\(answer.host) says", .title) }
            let isMarked = entry == number
            block.entry(number) { block in
                func add(_ block: inout TextBlock) {
                    Self.add(row, nameWidth: nameWidth, isWhole: isMarked, to: &block)
                }
                if row.isMoving { block.moving(add) } else { add(&block) }
            }
        }
        guard look == nil else { return }
        block.blank()
        if credential.kind == .refreshToken {
            block.text("Only the provider that issued a refresh token can read it.", .muted)
        } else {
            do { _ = try DecodedJWT(credential.secret) } catch {
                block.text("opaque: \(error.description). Only its resource can read it.", .muted)
            }
        }
    }

    /// The number of claims that can be selected.
    func claimCount(in context: Context) -> Int {
        guard let chosen = chosen(in: context) else { return 0 }
        let look = Self.decoded(chosen).map(DecodedToken.init)
        if let look { return claimRows(chosen, look, in: context).count }
        return noted(chosen, in: context).count + (answered(chosen, in: context)?.rows.count ?? 0)
    }

    private func claimRows(_ credential: CachedCredential, _ look: DecodedToken, in context: Context) -> [ClaimRow] {
        let reader = ClaimReader(
            token: look, clock: context.clock, clientName: context.knownClient,
            tenantName: context.accounts.tenantName)
        return reader.rows + [reader.header, secretRow(credential, in: context)]
    }

    /// The answer of the server that issued an opaque token, as rows.
    private func answered(_ credential: CachedCredential, in context: Context) -> (host: String, rows: [ClaimRow])? {
        guard case .accepted(let host, let claims) = verification(of: credential) else { return nil }
        let (clock, issuer) = (context.clock, context.server(of: credential).map { ScopeIssuer.server($0) } ?? .other)
        var rows: [ClaimRow] = []
        for line in DecodedToken.rows(of: claims) {
            let value = line.value.words(clock.full)
            guard line.depth == 0 else {
                if !rows.isEmpty {
                    rows[rows.count - 1].parts.append(.init(name: line.name, value: value, depth: line.depth))
                }
                continue
            }
            var row = ClaimRow(name: line.name, value: value, meaning: line.meaning ?? "", tone: .text)
            if case .time(let date) = line.value {
                row.meaning = [row.meaning, clock.relative(date)].filter { !$0.isEmpty }.joined(separator: ", ")
                row.isMoving = true
            }
            if line.name == "scope" {
                row.permissions = TokenPermission.all(of: ScopeSet(claims.strings("scope")), at: issuer)
            }
            rows.append(row)
        }
        return (host, rows)
    }

    /// Whether the server that issued an opaque token can be queried about it.
    func canAsk(_ credential: CachedCredential, in context: Context) -> Bool {
        !credential.isPasted && credential.kind == .accessToken && credential.issuer != nil
            && credential.tokenType.asciiLowercased == "bearer" && Cloud.containing(host: credential.environment) == nil
            && owner(in: context).map { $0.store == nil } == true && Self.decoded(credential) == nil
    }

    /// Stored facts about an unreadable token.
    private func noted(_ credential: CachedCredential, in context: Context) -> [ClaimRow] {
        let clock = context.clock
        func row(_ name: String, _ value: String, _ meaning: String = "") -> ClaimRow {
            ClaimRow(name: name, value: value, meaning: meaning, tone: .text)
        }
        var rows: [ClaimRow] = []
        if let words = TokenPrefix.words(of: credential.secret) { rows.append(row("kind", words, "by its prefix")) }
        if !credential.isPasted {
            rows.append(row("client", credential.clientID, context.knownClient(credential.clientID) ?? ""))
            rows.append(row("provider", credential.issuer ?? credential.environment))
        }
        if !credential.realm.isEmpty {
            rows.append(row("tenant", credential.realm, context.accounts.tenantName(credential.realm) ?? ""))
        }
        if !credential.scopes.isEmpty { rows.append(row("scopes", credential.scopes.description)) }
        if credential.kind == .accessToken, !credential.isPasted { rows.append(row("type", credential.tokenType)) }
        for (name, date) in [
            ("stored", credential.cachedAt), ("expires", credential.expiresOn),
            ("extended", credential.extendedExpiresOn), ("renews", credential.refreshOn),
        ] {
            guard let date else { continue }
            let isAnnounced = date.announced != nil
            rows.append(row(name, TimeSpan.end(date, clock.full), isAnnounced ? clock.relative(date) : ""))
            rows[rows.count - 1].isMoving = isAnnounced
        }
        if let family = credential.familyID, !family.isEmpty {
            rows.append(row("family", family, "any client of the family can use it"))
        }
        return rows + [secretRow(credential, in: context)]
    }

    private func secretRow(_ credential: CachedCredential, in context: Context) -> ClaimRow {
        let (reveal, copy) = (
            context.name(of: .reveal, at: textContext), context.name(of: .copySecret, at: textContext)
        )
        return ClaimRow(
            name: "token", value: "\(credential.secret.count) bytes, hidden",
            meaning: "\(reveal): show, \(copy): copy", tone: .muted)
    }

    private static func add(_ row: ClaimRow, nameWidth: Int, isWhole: Bool, to block: inout TextBlock) {
        block.add(
            TextBlock.Fact(
                name: TextSpan(row.name, .muted), nameWidth: nameWidth, value: TextSpan(row.value, row.tone),
                meaning: TextSpan(row.meaning, row.tone == .text ? .muted : row.tone), isWhole: isWhole))
        for part in row.parts {
            block.add(
                TextBlock.Fact(
                    name: TextSpan(String(repeating: "  ", count: part.depth) + part.name, .muted),
                    nameWidth: nameWidth + 2 * part.depth, value: TextSpan(part.value), isWhole: isWhole))
        }
        guard isWhole else { return }
        for permission in row.permissions where permission.sentence != nil {
            block.text(
                "\(permission.name) (\(permission.told)): \(permission.sentence ?? "")",
                permission.risk?.tone ?? .muted, indent: nameWidth)
        }
    }
}

extension TokenVerdict {
    /// Each result in its color, with the sign of the worst one first.
    ///
    /// - Parameter isCached: whether it is from the cache. Signatures are not checked there, so that alone is not worth
    ///   a warning.
    func spans(_ clock: Clock, isCached: Bool) -> [TextSpan] {
        func isUsual(_ finding: Finding) -> Bool { isCached && finding == .signature(.notChecked) }
        let level = findings.filter { !isUsual($0) }.map(\.level).max() ?? .fine
        var spans: [TextSpan] = []
        for (index, finding) in findings.enumerated() {
            if index > 0 { spans.append(TextSpan(" · ", .muted)) }
            if index == 0 { spans.append(TextSpan(" ", level.signTone, sign: level.sign)) }
            spans.append(
                TextSpan(finding.words(clock.relative), isUsual(finding) ? .muted : finding.level.tone))
        }
        return spans
    }
}

extension TokenVerdict.Level {
    var sign: Sign {
        switch self {
        case .fine: .full
        case .attention: .warning
        case .danger: .cross
        }
    }

    package var tone: Tone {
        switch self {
        case .fine: .text
        case .attention: .attention
        case .danger: .danger
        }
    }

    /// A sign can be green.
    var signTone: Tone { self == .fine ? .ok : tone }
}

extension TokenPermission {
    /// Its risk, or its kind if the risk is unknown.
    var told: String { risk?.word ?? (kind == .scope ? "scope" : "role") }
}
