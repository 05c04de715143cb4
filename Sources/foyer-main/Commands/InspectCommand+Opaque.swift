import AppModel
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCalls

/// An opaque token: explained by its prefix, by what the store knows, and by its server if asked.
struct OpaqueToken {
    let secret: Secret
    /// Nil for a token from outside the store.
    let credential: CachedCredential?
    private let server: KnownServer?

    /// Nil if nothing is known of it.
    init?(_ secret: Secret, _ credential: CachedCredential?, _ session: CommandContext) {
        guard credential != nil || TokenPrefix.words(of: secret) != nil else { return nil }
        (self.secret, self.credential) = (secret, credential)
        server = credential.flatMap { session.knownServer(of: $0) }
    }

    /// - Throws: `usage` for a token from outside the store: only the server that issued it may see it.
    func ask(_ session: CommandContext) async throws(Failure) -> Verification {
        guard let credential else {
            throw Failure(
                .usage, "an opaque token does not name its server, and no other may see it",
                hint: "give the ID of a cached token; \"foyer tokens\" lists them")
        }
        guard let client = session.settings.client(of: credential) else {
            throw Failure(.usage, "the token's client \(credential.clientID) is not in the settings")
        }
        let application = try session.application(client)
        let answer = await Result.of { () throws(Failure) in try await application.verification(of: credential) }
        await application.close()
        return try answer.get()
    }

    private var permissions: [TokenPermission] {
        guard let credential, credential.kind == .accessToken else { return [] }
        return TokenPermission.all(
            of: credential.scopes.withoutReserved, at: ScopeIssuer(credential, server: server))
    }

    private func verdict(_ answer: Verification, _ now: Date) -> TokenVerdict {
        TokenVerdict(nil, expiresOn: credential?.expiresOn, permissions: permissions, answer, at: now)
    }

    func lines(_ answer: Verification, _ relative: (Date) -> String, now: Date) -> [String] {
        var lines = [
            ["opaque token", verdict(answer, now).words(relative)].filter { !$0.isEmpty }.joined(separator: " · ")
        ]
        if let words = TokenPrefix.words(of: secret) { lines += ["PREFIX", "  \(words)"] }
        if let credential {
            lines.append("STORED")
            lines.append("  client: \(credential.clientID)")
            lines.append("  provider: \(credential.issuer ?? credential.environment)")
            if let end = credential.expiresOn {
                lines.append("  expires: " + TimeSpan.end(end) { "\($0.rfc3339) (\(relative($0)))" })
            }
        }
        if !permissions.isEmpty { lines += ["SCOPES"] + permissions.map(\.line) }
        lines.append("SERVER")
        let hint = answer == .notChecked && credential != nil ? "; --verify asks it" : ""
        lines.append("  " + answer.opaqueWords + hint)
        if let claims = answer.answer {
            lines += DecodedToken.rows(of: claims).map { line in
                let meaning = line.meaning.map { "  — \($0)" } ?? ""
                return String(repeating: "  ", count: line.depth + 1)
                    + "\(line.name): \(line.value.words { "\($0.rfc3339) (\(relative($0)))" })\(meaning)"
            }
        }
        return lines
    }

    func json(_ answer: Verification, now: Date) -> JSONValue {
        let verdict = verdict(answer, now)
        return JSONValue(
            ("opaque", .bool(true)), ("kind", TokenPrefix.words(of: secret).json),
            ("verdict", verdict.json), ("permissions", .array(permissions.map(\.json))),
            ("expiresOn", (credential?.expiresOn?.announced).json), ("server", answer.json))
    }
}

extension TokenVerdict {
    var json: JSONValue {
        JSONValue(("level", level.word.json), ("findings", .array(findings.map(\.code.json))))
    }
}
