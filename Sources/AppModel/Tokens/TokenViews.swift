import Explain
import FoundationEssentials
import Identity

// Other views of a token: lifetimes compared with other tokens, the raw token, the store entry, and differences from
// another token.
extension TokenInspector {
    // MARK: Times

    /// Adds every token's lifetime on one timeline; `now` is the same column in all.
    func addTimes(_ chosen: CachedCredential, in context: Context, to block: inout TextBlock) {
        let (now, clock) = (context.now, context.clock)
        let lives = credentials(in: context).compactMap { credential in
            Self.life(credential).map { (credential: credential, life: $0) }
        }
        guard let first = lives.map(\.life.start).min() else {
            return block.text("no expiry in these tokens", .muted)
        }
        // Tokens without an announced end reach to the end of the timeline, which the others determine.
        let last =
            lives.compactMap(\.life.end.announced).max()
            ?? now.addingTimeInterval(max(60, now.timeIntervalSince(first)))
        let (from, to) = (min(first, now), max(last, now))
        func share(_ date: Date) -> Double {
            let whole = to.timeIntervalSince(from)
            return whole > 0 ? date.timeIntervalSince(from) / whole : 0
        }
        block.add(.present(TextBlock.LifetimeBar(now: share(now))))
        var client: String?
        for (credential, life) in lives {
            if client != credential.clientID {
                client = credential.clientID
                block.text(context.clientName(credential), .title)
            }
            let isChosen = credential.id == chosen.id
            block.item(
                isChosen ? .pointer : .bullet, isChosen ? .emphasis : .muted,
                credential.words
                    + (credential.scopes.isEmpty
                        ? "" : ": " + credential.scopes.names.prefix(3).map(ScopeNames.short).joined(separator: " ")),
                isChosen ? .emphasis : .text)
            let end = share(life.end.announced ?? to)
            block.add(.lifetime(TextBlock.LifetimeBar(start: share(life.start), end: end, now: share(now))))
            let words = TimeSpan.end(life.end) { end in
                "to \(clock.time(end)), " + (end <= now ? "expired " : "expires ") + clock.relative(end)
            }
            let comma = life.end.announced == nil ? "," : ""
            block.text("from \(clock.time(life.start))\(comma) \(words)", .muted, indent: 2)
        }
        block.blank()
        block.text("The provider decides when refresh tokens expire.", .muted)
    }

    /// When it was issued and expires: by the store, else by its claims.
    private static func life(_ credential: CachedCredential) -> (start: Date, end: Date)? {
        let look = credential.kind == .idToken ? decoded(credential).map(DecodedToken.init) : nil
        guard let end = credential.expiresOn ?? look?.expiresAt else { return nil }
        let start = credential.cachedAt ?? look?.issuedAt ?? end
        return (min(start, end), end)
    }

    // MARK: The text itself

    func addRaw(_ credential: CachedCredential, _ token: DecodedJWT?, in context: Context, to block: inout TextBlock) {
        addSecret(credential, in: context, to: &block)
        guard let token else {
            block.blank()
            let reveal = context.name(of: .reveal, at: textContext)
            block.text("Opaque: nothing to decode. \(reveal): show the token.", .muted)
            return
        }
        let parts = credential.secret.reveal().split(separator: ".", omittingEmptySubsequences: false).map(\.count)
        if parts.count == 3 {
            block.field("parts", "header \(parts[0]), claims \(parts[1]), signature \(parts[2]) characters")
        }
        block.blank()
        Self.addLines(DecodedToken.exported(token), to: &block)
    }

    private func addSecret(_ credential: CachedCredential, in context: Context, to block: inout TextBlock) {
        guard let seconds = secondsShown(credential.id, at: context.now) else {
            return block.field("token", "\(credential.secret.count) bytes, hidden")
        }
        block.moving { $0.field("token", "shown for \(counted(seconds, "second"))", .attention) }
        block.add(.secret(credential.secret))
    }

    /// Adds JSON line by line with its indentation, not truncated.
    private static func addLines(_ text: String, to block: inout TextBlock) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            block.add(.spans(coloured(line.drop { $0 == " " }), indent: line.prefix { $0 == " " }.count / 2))
        }
    }

    /// Colors a line of formatted JSON: names, numbers and keywords differ from strings.
    static func coloured(_ line: Substring) -> [TextSpan] {
        guard line.first == "\"" || line.first?.isNumber == true || line.first?.isLetter == true || line.first == "-"
        else { return [TextSpan(String(line), .muted)] }
        var rest = line
        var spans: [TextSpan] = []
        if line.first == "\"", let end = endOfText(line), line[end...].hasPrefix(": ") || line[end...].hasPrefix(":") {
            spans.append(TextSpan(String(line[..<end]), .key))
            let value = line[end...].dropFirst().drop { $0 == " " }
            spans.append(TextSpan(String(line[end..<value.startIndex]), .muted))
            rest = value
        }
        let isText = rest.first == "\""
        let isBracket = rest.first.map { "{[]}".contains($0) } ?? true
        spans.append(TextSpan(String(rest), isText ? .text : isBracket ? .muted : .ok))
        return spans
    }

    /// The index after the closing quotation mark of the leading string.
    private static func endOfText(_ line: Substring) -> Substring.Index? {
        var isEscaped = false
        for index in line.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if line[index] == "\\" {
                isEscaped = true
            } else if line[index] == "\"" {
                return line.index(after: index)
            }
        }
        return nil
    }

    // MARK: The entry

    func addEntry(_ credential: CachedCredential, in context: Context, to block: inout TextBlock) {
        guard !credential.isPasted else { return block.text("pasted, not in any store", .muted) }
        guard let entry = entries[entryKey(credential, in: context)] else { return block.text("loading", .muted) }
        block.text("all stored fields; secrets hidden", .muted)
        block.blank()
        Self.addLines(entry, to: &block)
    }

    // MARK: The difference

    func addDifference(_ credential: CachedCredential, in context: Context, to block: inout TextBlock) {
        guard let marked, table != nil || credentials(in: context).contains(where: { $0.id == marked.id }) else {
            block.text(
                "the marked token was removed; mark another with \(context.name(of: .choose, at: textContext))", .muted)
            return
        }
        block.field("from", Self.described(marked, in: context))
        block.field("to", Self.described(credential, in: context))
        block.blank()
        guard let old = Self.decoded(marked), let new = Self.decoded(credential) else {
            block.text("one token is opaque: comparing stored fields only", .muted)
            Self.addNoted(marked, credential, context.clock, to: &block)
            return
        }
        let difference = TokenDifference(from: old, to: new)
        if difference.isEmpty { block.text("no differences", .ok) }
        for (title, changes) in [("Header", difference.header), ("Claims", difference.claims)] where !changes.isEmpty {
            block.heading(title)
            for change in changes.prefix(200) { Self.add(change, old, new, context.clock, to: &block) }
            block.blank()
        }
        Self.addScopes(difference.scopesAdded, difference.scopesRemoved, to: &block)
        block.text("\(counted(difference.same, "claim")) identical", .muted)
    }

    private static func described(_ credential: CachedCredential, in context: Context) -> String {
        credential.words + (credential.isPasted ? " that was pasted" : " of " + context.clientName(credential))
            + (credential.scopes.isEmpty ? "" : ": " + credential.scopes.description)
    }

    private static func add(
        _ change: TokenDifference.Change, _ old: DecodedJWT, _ new: DecodedJWT, _ clock: Clock,
        to block: inout TextBlock
    ) {
        func words(_ token: DecodedJWT, _ value: String) -> String {
            guard ClaimMeanings.times.contains(change.name), let date = token.payload.date(change.name) else {
                return value
            }
            return "\(clock.full(date)), \(clock.relative(date))"
        }
        let (before, after) = (
            words(old, TokenDifference.Change.words(change.old)), words(new, TokenDifference.Change.words(change.new))
        )
        let (removed, added) = TextDiff.of(before, after)
        let meaning = change.meaning.map { [TextSpan("  " + $0, .muted)] } ?? []
        if change.old != nil {
            block.add(
                .spans(Self.line("-", change.name, change.new == nil ? [.init(before, true)] : removed), indent: 0))
        }
        if change.new != nil {
            block.add(.spans(Self.line("+", change.name, change.old == nil ? [.init(after, true)] : added), indent: 0))
        }
        if !meaning.isEmpty { block.add(.spans(meaning, indent: 0)) }
    }

    /// A line of a diff: its sign in color, and the changed parts highlighted.
    private static func line(_ sign: String, _ name: String, _ parts: [TextDiff.Part]) -> [TextSpan] {
        let tone: Tone = sign == "-" ? .danger : .ok
        return [TextSpan(sign + " ", tone), TextSpan(name + "  ", .muted)]
            + parts.map { TextSpan($0.text, $0.isChanged ? tone : .text) }
    }

    private static func addScopes(_ added: ScopeSet, _ removed: ScopeSet, to block: inout TextBlock) {
        guard !added.isEmpty || !removed.isEmpty else { return }
        block.heading("Scopes")
        for name in added.names { block.item(.letter("+"), .ok, name) }
        for name in removed.names { block.item(.letter("-"), .danger, name) }
        block.blank()
    }

    private static func addNoted(
        _ old: CachedCredential, _ new: CachedCredential, _ clock: Clock, to block: inout TextBlock
    ) {
        block.blank()
        addScopes(new.scopes.subtracting(old.scopes), old.scopes.subtracting(new.scopes), to: &block)
        for (label, before, after) in [
            ("expires", old.expiresOn, new.expiresOn), ("stored", old.cachedAt, new.cachedAt),
        ] {
            let times = [before, after].map { $0.map { TimeSpan.end($0, clock.full) } ?? "unknown" }
            block.field(label, times.joined(separator: " → "))
        }
        for (label, before, after) in [
            ("tenant", old.realm, new.realm),
            ("provider", old.issuer ?? old.environment, new.issuer ?? new.environment),
        ] where before != after {
            block.field(label, "\(before) → \(after)")
        }
    }
}
