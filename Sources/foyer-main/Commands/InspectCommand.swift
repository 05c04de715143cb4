import AppModel
import ArgumentParser
import CommandSupport
import Console
import Explain
import FoundationEssentials
import Glibc
import Helpers
import Identity
import SilentFirst
import StrictJSON
import Terminal
import TokenCache

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode and explain a token",
        discussion: """
            Accepts a cached token's ID or unique prefix, a token, or - for standard input. Searches foyer's store \
            first.
            """)
    @Argument(
        help: "ID of a cached token, a token, or - for standard input; arguments are visible to other processes",
        completion: .known(.tokens))
    var token: String?
    // Keys of accounts without an identifier begin with a dash.
    @Option(
        name: .customLong("id"), parsing: .unconditional,
        help: ArgumentHelp(
            "Cached token by ID or full cache key", valueName: "key"), completion: .known(.tokens))
    var id: String?
    @Flag(help: "Check the signature, or ask the server of an opaque token")
    var verify = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Compare with another cached token, by ID", valueName: "key"), completion: .known(.tokens))
    var compare: String?
    @Flag(help: "Print header and claims as JSON, without explanations")
    var raw = false
    @Option(
        help: ArgumentHelp("Write header and claims as JSON to a new file (mode 0600)", valueName: "file"),
        completion: .file())
    var export: String?
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let (secret, credential) = try subject(session)
        if (try? DecodedJWT(secret)) == nil, compare == nil, !raw, export == nil,
            let opaque = OpaqueToken(secret, credential, session)
        {
            return try await show(opaque, session)
        }
        let jwt = try Self.decoded(secret)
        var signature = Verification.notChecked
        if let why = DecodedToken.notVerifiable(jwt) { signature = .notVerifiable(why) }
        if verify {
            let line = StatusLine(session)
            line?.show(after: 1, counting: "fetching the issuer's keys")
            defer { line?.stop() }
            signature = try await Verification.check(
                jwt, provider: Provider(session.network()), known: session.knownIssuers()
            ) { place in
                line?.aside()
                session.output.event(
                    "asking", [("host", place.host.json)], or: "asking \(place.host) for the issuer's keys")
                return true
            }
        }
        let difference = try compare.map { id throws(Failure) in
            TokenDifference(from: try Self.decoded(try cached(id, session).secret), to: jwt)
        }
        if let export {
            try ClaimsFile.write(DecodedToken.exported(jwt), to: export, path: session.environment.expand(export))
        }
        if shared.json {
            session.output.result(Self.json(jwt, signature, difference, now: Date()))
        } else if raw {
            session.output.lines(DecodedToken.exported(jwt).split(separator: "\n").map(String.init))
        } else if let difference {
            session.output.lines(difference.lines)
        } else {
            let now = Date()
            session.output.text(Self.verdict(jwt, signature, session.screen, now: now) + "\n")
            session.output.lines(Self.words(jwt, signature, now: now))
        }
        if let export { session.output.note("foyer: header and claims written to \(export) (mode 0600)") }
        if case .wrong(let why) = signature { throw Failure(.untrustedResponse, "the signature is invalid: \(why)") }
    }

    private func show(_ token: OpaqueToken, _ session: CommandContext) async throws {
        var answer = Verification.notChecked
        if verify {
            let line = StatusLine(session)
            line?.show(after: 1, counting: "asking the server")
            defer { line?.stop() }
            answer = try await token.ask(session)
        }
        let now = Date()
        if shared.json {
            session.output.result(token.json(answer, now: now))
        } else {
            session.output.lines(token.lines(answer, { Self.relative($0, now) }, now: now))
        }
        if case .rejected = answer { throw Failure(.untrustedResponse, answer.opaqueWords) }
    }

    private static func decoded(_ secret: Secret) throws(Failure) -> DecodedJWT {
        do { return try DecodedJWT(secret) } catch {
            throw Failure(.invalidInput, error.description, hint: "opaque token: only its resource can read it")
        }
    }

    private func cached(_ id: String, _ session: CommandContext) throws(Failure) -> CachedCredential {
        // An ID names a token whatever the default client is.
        let isNarrowed = shared.client != nil || shared.clientID != nil || shared.account != nil
        let selected =
            isNarrowed
            ? try SelectedCredentials(
                session.selectionOfNamedClient(), account: shared.account, session, all: true, at: Date()) : nil
        func find(in snapshot: CacheSnapshot) throws(Failure) -> CachedCredential? {
            let all = snapshot.credentials(clientID: nil)
            return try TokenIDs.find(id, among: selected.map { all.filter($0.contains) } ?? all)
        }
        if let found = try find(in: session.snapshot(nil)) { return found }
        for (_, snapshot) in try session.readings(nil, all: true).dropFirst() {
            if let found = try find(in: snapshot) { return found }
        }
        throw Failure(
            .notFound, "no cached token with ID \"\(id)\"", hint: "\"foyer tokens --all-stores\" lists them")
    }

    /// - Returns: the token, and its entry if it is a cached one.
    private func subject(_ session: CommandContext) throws(Failure) -> (Secret, CachedCredential?) {
        func entry(_ id: String) throws(Failure) -> (Secret, CachedCredential?) {
            let found = try cached(id, session)
            return (found.secret, found)
        }
        if let id {
            guard token == nil else { throw Failure(.usage, "a token and --id cannot be used together") }
            return try entry(id)
        }
        guard let token else {
            throw Failure(.usage, "give a token ID from \"foyer tokens\", a token, or -")
        }
        if TokenIDs.isBeginning(token) { return try entry(token) }
        guard token == "-" else { return (Secret(token), nil) }
        let bytes = HelperInput.read(limit: DecodedJWT.maximumLength + 2)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.invalidInput, "standard input is not text")
        }
        return (Secret(text.trimmed), nil)
    }

    private static func relative(_ date: Date, _ now: Date) -> String {
        let away = date.timeIntervalSince(now)
        return away >= 0 ? "in \(TimeSpan.words(away))" : "\(TimeSpan.words(-away)) ago"
    }

    /// The most important facts about the token, in one line.
    static func verdict(_ jwt: DecodedJWT, _ signature: Verification, _ screen: ResultScreen, now: Date) -> String {
        TokenVerdict(DecodedToken(jwt), signature, at: now).findings.map { finding in
            let words = SafeText.line(finding.words { relative($0, now) }, glyphs: screen.glyphs)
            return screen.colors.painted(words, finding.level.tone)
        }.joined(separator: screen.glyphs.isASCII ? " - " : " · ")
    }

    static func words(_ jwt: DecodedJWT, _ signature: Verification, now: Date) -> [String] {
        let look = DecodedToken(jwt)
        func told(_ lines: [ClaimLine]) -> [String] {
            lines.map { line in
                let value = line.value.words { date in
                    let seconds = jwt.payload.json(line.name).map { $0 + "  " } ?? ""
                    return seconds + "(\(date.rfc3339), \(relative(date, now)))"
                }
                let meaning = line.meaning.map { "  — \($0)" } ?? ""
                return String(repeating: "  ", count: line.depth + 1) + "\(line.name): \(value)\(meaning)"
            }
        }
        var lines = ["HEADER"] + told(look.header) + ["CLAIMS"] + told(look.claims)
        for (title, kind) in [
            ("SCOPES", TokenPermission.Kind.scope), ("APP ROLES", .appRole), ("DIRECTORY ROLES", .directoryRole),
        ] {
            let permissions = look.permissions.filter { $0.kind == kind }
            guard !permissions.isEmpty else { continue }
            lines.append(title)
            lines += permissions.map(\.line)
        }
        lines.append("SIGNATURE")
        lines.append("  " + signature.wholeWords + (signature == .notChecked ? "; --verify checks it" : ""))
        return lines
    }

    private static func json(
        _ jwt: DecodedJWT, _ signature: Verification, _ difference: TokenDifference?, now: Date
    ) -> JSONValue {
        let look = DecodedToken(jwt)
        let verdict = TokenVerdict(look, signature, at: now)
        return JSONValue(
            [
                ("header", jwt.header.json), ("payload", jwt.payload.json), ("signature", signature.json),
                ("verdict", verdict.json),
                ("permissions", .array(look.permissions.map(\.json))), ("expiresOn", jwt.payload.date("exp").json),
                ("meanings", look.meanings),
            ] + (difference.map { [("difference", $0.json)] } ?? []))
    }
}

extension TokenPermission {
    var line: String {
        "  \(name)" + (sentence.map { "  — \($0)" } ?? "") + (risk.map { " (\($0.word) risk)" } ?? "")
    }

    var json: JSONValue {
        JSONValue(
            ("kind", kind.rawValue.json), ("name", name.json), ("risk", risk.map { .string($0.word) } ?? .null),
            ("meaning", sentence.map { .string($0) } ?? .null))
    }
}

extension DecodedToken {
    fileprivate var meanings: JSONValue {
        let lines = (header + claims).filter { $0.depth == 0 && $0.meaning != nil }.uniqued(by: \.name)
        return JSONValue(lines.map { ($0.name, $0.meaning.json) })
    }
}

extension TokenDifference {
    var lines: [String] {
        guard !isEmpty else { return ["no differences"] }
        var lines: [String] = []
        for (title, changes) in [("HEADER", header), ("CLAIMS", claims)] where !changes.isEmpty {
            lines.append(title)
            for change in changes {
                let meaning = change.meaning.map { "  — \($0)" } ?? ""
                let (old, new) = (Change.words(change.old), Change.words(change.new))
                switch change.kind {
                case .added: lines.append("  + \(change.name): \(new)\(meaning)")
                case .removed: lines.append("  - \(change.name): \(old)\(meaning)")
                case .changed: lines.append("  ~ \(change.name): \(old) → \(new)\(meaning)")
                }
            }
        }
        if !scopesAdded.isEmpty || !scopesRemoved.isEmpty {
            lines.append("SCOPES")
            lines += scopesAdded.names.map { "  + \($0)" } + scopesRemoved.names.map { "  - \($0)" }
        }
        return lines
    }

    fileprivate var json: JSONValue {
        func members(_ changes: [Change]) -> JSONValue {
            .array(
                changes.map {
                    JSONValue(
                        ("name", $0.name.json), ("change", $0.kind.rawValue.json), ("from", $0.old ?? .null),
                        ("to", $0.new ?? .null))
                })
        }
        return JSONValue(
            ("header", members(header)), ("payload", members(claims)), ("scopesAdded", scopesAdded.json),
            ("scopesRemoved", scopesRemoved.json))
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
