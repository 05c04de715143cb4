package import FoundationEssentials
package import Identity
package import SilentCore
import StrictJSON
import TokenCache

/// `foyer token --dry-run`: the decision of a silent call, its credential, and the reason against each other one.
/// Contacts no server, takes no lock, writes nothing and shows no secret.
package struct TokenDryRun {
    package let decision: SilentDecision
    package let request: TokenRequest
    package let clientID: String
    package let clientName: (String) -> String
    package let session: SessionAccess
    package let now: Date

    package func print(to output: Output) throws(Failure) {
        // Wrong usage, an ambiguous account or an unreadable store prevents a decision.
        if case .failure(let failure) = decision.outcome { throw failure }
        output.result(json, or: lines)
        if let failure = decision.failure { throw failure }
    }

    private var considered: [CandidateCredential] { decision.considered }

    // MARK: Text

    private var lines: [String] {
        let heads = considered.map { ($0, "  \($0.words(clientName)), \($0.finding.words(at: now))") }
        return [headline] + (session.words.map { ["  \($0)"] } ?? [])
            + (decision.asksBroker ? ["  asks the session's broker first"] : [])
            + heads.flatMap { credential, line in credential.isLegacy ? [line] : [line, "    " + credential.id] }
    }

    private var headline: String {
        let person = decision.account.map { " for \($0.label)" } ?? ""
        switch decision.outcome {
        case .serve: return "serve: cached token\(person), \(reason.words)"
        case .refresh, .upgrade:
            let what =
                if case .upgrade = decision.outcome { "an ADAL cache's refresh token" } else { "a refresh token" }
            let verb = decision.failure == nil ? "sends" : "waits to send"
            return "\(reason.decision): \(verb) \(what)\(person); \(reason.words)"
        case .interaction(let reason): return "interaction: needs sign-in; \(reason.failure.message)"
        case .failure(let failure): return failure.message
        }
    }

    // MARK: JSON

    private var json: JSONValue {
        let chosen = considered.first { credential in
            switch credential.finding {
            case .served, .sent(order: 1): true
            default: false
            }
        }
        return JSONValue(
            ("decision", reason.decision.json), ("reason", reason.name.json), ("clientId", clientID.json),
            ("asksBroker", .bool(decision.asksBroker)), ("authority", (decision.authority?.address.text).json),
            ("agentSession", session.json), ("scopes", request.scopes.json),
            ("account", decision.account?.json ?? .null), ("credential", chosen.map { $0.json(at: now) } ?? .null),
            ("considered", .array(considered.map { $0.json(at: now) })))
    }

    /// The decision and its reason as single words, and the reason as text.
    private var reason: (decision: String, name: String, words: String) {
        switch decision.outcome {
        case .serve(let token, let serving): return ("serve", serving.name, serving.words(token, at: now))
        case .refresh, .upgrade:
            let verb = if case .upgrade = decision.outcome { "upgrade" } else { "refresh" }
            if decision.failure != nil {
                return (verb, "throttled", "provider throttling or down")
            }
            let name = decision.accessTokenFinding?.name ?? "noAccessToken"
            return (verb, name, decision.refreshReason(at: now))
        case .interaction(let reason): return ("interaction", reason.name, reason.failure.message)
        case .failure(let failure): return ("interaction", failure.code.rawValue, failure.message)
        }
    }
}

extension CandidateCredential {
    /// Such as `access token of Azure CLI`.
    package func words(_ clientName: (String) -> String) -> String { "\(kindWords) of \(clientName(clientID))" }

    package var kindWords: String {
        switch kind {
        case .accessToken: "access token"
        case .refreshToken: isLegacy ? "ADAL refresh token" : "refresh token"
        case .idToken: "ID token"
        }
    }

    fileprivate func json(at now: Date) -> JSONValue {
        let rest: [(String, JSONValue)] = finding.members
        let members: [(String, JSONValue)] = [
            ("id", id.json), ("type", kind.rawValue.json), ("clientId", clientID.json),
            ("realm", (credential?.realm).json), ("origin", (isLegacy ? "adal" : "msal").json),
            ("expiresOn", (credential?.expiresOn?.announced).json), ("familyId", (credential?.familyID).json),
            ("finding", finding.name.json), ("why", finding.words(at: now).json),
        ]
        return .object(JSONObject((members + rest).map { JSONMember(name: $0.0, value: $0.1) }))
    }
}
