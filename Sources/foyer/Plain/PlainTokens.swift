import Explain
import FoundationEssentials
import Identity
import SilentFirst
import Terminal
import TokenCache

extension PlainInterface {
    func inspect(_ overview: AccountOverview) async {
        while true {
            let now = Date()
            let tokens = overview.credentials
            say("")
            for (index, token) in tokens.enumerated() {
                let end =
                    token.expiresOn.map {
                        $0 > now ? ", ends in " + Span.words($0.timeIntervalSince(now)) : ", expired"
                    } ?? ""
                let scopes = token.scopes.isEmpty ? "" : ": \(token.scopes)"
                say(" \(index + 1)  \(token.kind.rawValue) of \(session.clientName(token.clientID))\(end)\(scopes)")
            }
            say(" 0  back")
            guard let answer = await ask("token: "), let number = Int(answer), tokens.indices.contains(number - 1)
            else { return }
            await look(at: tokens[number - 1].secret, of: tokens)
        }
    }

    /// A token from anywhere; what the terminal echoes is the person's own.
    func paste() async {
        guard let text = await ask("token: "), !text.isEmpty else { return }
        await look(at: Secret(text))
    }

    /// - Parameter tokens: those that it can be compared with.
    private func look(at secret: Secret, of tokens: [CachedCredential] = []) async {
        let jwt = try? DecodedJWT(secret)
        if let jwt {
            InspectCommand.words(jwt, .notChecked, now: Date()).forEach(say)
        } else {
            say("an opaque token of \(secret.reveal().utf8.count) bytes: only who it is for can read it")
        }
        while true {
            let others = tokens.filter { $0.secret != secret && (try? DecodedJWT($0.secret)) != nil }
            let answers =
                ["show the token itself"]
                + (jwt == nil
                    ? []
                    : ["check its signature with the issuer's keys", "write header and claims as JSON into a new file"]
                        + (others.isEmpty ? [] : ["compare it with another token"]))
            switch await choose(answers, zero: "back") {
            case 1:
                let text = secret.reveal()
                say(SafeText.isPrintableToken(text) ? text : "it has characters that no token may have")
            case 2:
                guard let jwt else { continue }
                await told { () async throws(Failure) in
                    let (provider, known) = (Provider(session.network()), session.knownIssuers())
                    let finding = try await PlainTask.run {
                        await Result.of { () throws(Failure) in
                            try await SignatureFinding.check(jwt, provider: provider, known: known)
                        }
                    }
                    await provider.close()
                    say("signature: \(finding.words)")
                }
            case 3:
                guard let jwt, let name = await ask("name of the new file: "), !name.isEmpty else { continue }
                await told { () async throws(Failure) in
                    try ClaimsFile.write(DecodedToken.exported(jwt), to: name, path: session.environment.expand(name))
                    say("header and claims are in \(name), for you alone")
                }
            case 4:
                let number = await choose(
                    others.map { "\($0.kind.rawValue) of \(session.clientName($0.clientID))" }, zero: "back")
                guard let jwt, number > 0, let other = try? DecodedJWT(others[number - 1].secret) else { continue }
                TokenDifference(from: other, to: jwt).lines.forEach(say)
            default: return
            }
        }
    }

    /// What each client holds of the account, by resource, with what it means.
    func scopes(_ overview: AccountOverview) async {
        for client in overview.account.clients {
            say("")
            say("client: \(session.clientName(client))")
            let granted = Self.granted(client, overview)
            if granted.isEmpty { say("  no access token in the store says what it was granted") }
            for (resource, scopes) in granted.byResource {
                if !resource.isEmpty { say("  \(ScopeMeaning.resourceName(resource))") }
                for name in scopes.names {
                    guard let meaning = ScopeMeaning.of(name) else {
                        say("    \(name)")
                        continue
                    }
                    let administrator = meaning.needsAdministrator ? ", an administrator's to grant" : ""
                    say("    \(name): \(meaning.sentence) (\(meaning.risk.word) risk\(administrator))")
                }
            }
            let asked = ScopeSet(session.settings.clients.first { $0.clientID == client }?.scopes ?? [])
            let missing = asked.declined(granted: granted)
            if !granted.isEmpty, !missing.isEmpty { say("  asked for, not here: \(missing)") }
        }
        say("Only tokens in this store are counted; consent itself is kept by the provider.")
        guard overview.account.clients.count > 1 else { return }
        while await choose(["compare two clients"], zero: "back") == 1 { await compare(overview) }
    }

    private func compare(_ overview: AccountOverview) async {
        let clients = overview.account.clients
        let first = await choose(clients.map { session.clientName($0) }, zero: "back")
        guard first > 0 else { return }
        let rest = clients.filter { $0 != clients[first - 1] }
        let second = rest.count == 1 ? 1 : await choose(rest.map { session.clientName($0) }, zero: "back")
        guard second > 0 else { return }
        let pair = [clients[first - 1], rest[second - 1]]
        let compared = ScopeComparison(Self.granted(pair[0], overview), Self.granted(pair[1], overview))
        for (words, scopes) in [
            ("both", compared.both), ("only \(session.clientName(pair[0]))", compared.onlyFirst),
            ("only \(session.clientName(pair[1]))", compared.onlySecond),
        ] { say("\(words): \(scopes.isEmpty ? "nothing" : scopes.description)") }
    }

    private static func granted(_ client: String, _ overview: AccountOverview) -> ScopeSet {
        overview.credentials.filter { $0.kind == .accessToken && $0.clientID == client }.reduce(ScopeSet()) {
            $0.union($1.scopes)
        }
    }
}
