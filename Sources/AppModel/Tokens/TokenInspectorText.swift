import Explain
import FoundationEssentials
import Identity

// The text about one token.
extension TokenInspector {
    /// Where the commands are given that texts name, also while a line is typed.
    var textContext: KeyContext { isReading ? .tokenDetails : .inspector }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        guard let chosen = chosen(in: context) else {
            block.text(
                account == nil ? "paste a token; it is not stored" : "no tokens left",
                .muted)
            return block
        }
        block.heading(chosen.words)
        addViews(to: &block)
        switch view {
        case .claims: addClaims(chosen, in: context, to: &block)
        case .times: addTimes(chosen, in: context, to: &block)
        case .raw: addRaw(chosen, in: context, to: &block)
        case .entry: addEntry(chosen, to: &block)
        case .difference: addDifference(chosen, in: context, to: &block)
        }
        return block
    }

    /// The ways to look at it, the present one marked.
    private func addViews(to block: inout TextBlock) {
        var spans: [TextSpan] = []
        for each in View.allCases where each != .difference || view == .difference {
            let isShown = each == view
            spans.append(TextSpan(isShown ? "[\(each.rawValue)]" : " \(each.rawValue) ", isShown ? .emphasis : .muted))
        }
        block.row(spans)
    }

    private func addClaims(_ credential: CachedCredential, in context: Context, to block: inout TextBlock) {
        let clock = context.clock
        if !credential.isPasted {
            block.field("client", context.clientName(credential.clientID) + " (\(credential.clientID))")
            block.field("provider", credential.issuer ?? credential.environment)
        }
        if !credential.realm.isEmpty { block.field("tenant", credential.realm) }
        if !credential.scopes.isEmpty { block.field("scopes", credential.scopes.description) }
        if credential.kind == .accessToken, !credential.isPasted { block.field("type", credential.tokenType) }
        for (label, date) in [
            (credential.isPasted ? "issued" : "stored", credential.cachedAt), ("expires", credential.expiresOn),
            ("extended expiry", credential.extendedExpiresOn), ("renewed from", credential.refreshOn),
        ] {
            if let date { block.field(label, "\(clock.full(date)), \(clock.relative(date))") }
        }
        if let family = credential.familyID, !family.isEmpty {
            block.field("family", "\(family): any client of the family can use it")
        }
        addSecret(credential, in: context, to: &block)
        block.blank()
        guard credential.kind != .refreshToken else {
            block.text("Only the provider that issued a refresh token can read it.", .muted)
            return
        }
        do {
            Self.add(
                try DecodedJWT(credential.secret), verified[credential.secret], clock,
                verifying: context.name(of: .verify, at: textContext), to: &block)
        } catch {
            block.text("opaque: \(error.description). Only its resource can read it.", .muted)
        }
    }

    func addSecret(_ credential: CachedCredential, in context: Context, to block: inout TextBlock) {
        if let seconds = secondsShown(credential.id, at: context.now) {
            block.moving { $0.field("token", "shown for \(counted(seconds, "second"))", .attention) }
            block.add(.secret(credential.secret))
        } else {
            block.field("token", "\(credential.secret.count) bytes, hidden")
        }
    }

    private static func add(
        _ look: DecodedToken, _ verified: Verification?, verifying: String, to block: inout TextBlock
    ) {
        switch verified {
        case .checking: block.item(.half, .info, "fetching the issuer's keys")
        case .right(let key):
            block.item(
                .check, .ok, "signature valid (key \(key)); audience, issuer and expiry were not checked")
        case .wrong(let why): block.item(.cross, .danger, "signature INVALID: \(why)", .danger)
        case .notVerifiable(let why): block.item(.bullet, .muted, "not verifiable by design: \(why)")
        case .failed(let why): block.item(.warning, .attention, "not verified: \(why)")
        case nil:
            block.item(
                .warning, .attention,
                "signature not checked; \(verifying) checks it with the issuer's keys")
            if look.notVerifiable != nil {
                block.text("by design, only its resource can check its signature", .muted)
            }
        }
    }

    private static func add(
        _ token: DecodedJWT, _ verified: Verification?, _ clock: Clock, verifying: String, to block: inout TextBlock
    ) {
        let look = DecodedToken(token)
        add(look, verified, verifying: verifying, to: &block)
        for (title, lines) in [("Header", look.header), ("Claims", look.claims)] {
            block.blank()
            block.heading(title)
            for line in lines { add(line, clock, to: &block) }
        }
        let isMicrosoft = token.payload.string("tid") != nil
        if !look.scopes.isEmpty {
            block.blank()
            block.heading("What it may do")
            for name in look.scopes.names.prefix(100) {
                let meaning = ScopeNames.meaning(of: name, isMicrosoft: isMicrosoft)
                block.item(.bullet, meaning?.risk.tone ?? .muted, name)
                block.text(
                    meaning.map { "\($0.sentence) (\($0.risk.word) risk)" } ?? "no description", .muted, indent: 2)
            }
        }
        if !look.roles.isEmpty {
            block.blank()
            block.heading("Roles")
            for role in look.roles.prefix(100) { block.item(.bullet, .text, role) }
        }
    }

    /// Longer than this, and a value is cut on the screen.
    private static let longest = 600

    private static func add(_ line: ClaimLine, _ clock: Clock, to block: inout TextBlock) {
        let name = String(repeating: "  ", count: line.depth) + line.name
        let value = line.value.words { "\(clock.full($0)), \(clock.relative($0))" }
        block.pair(name, .label, value, labelWidth: 14 + 2 * line.depth)
        let indent = 14
        let count = value.unicodeScalars.count
        if count > longest {
            block.text("cut off here: \(count) characters; the raw view shows all of them", .attention, indent: indent)
        }
        if let meaning = line.meaning { block.text(meaning, .muted, indent: indent) }
    }
}
