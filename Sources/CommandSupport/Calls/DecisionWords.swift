import Explain
package import FoundationEssentials
package import Identity
package import SilentCore
package import StrictJSON
import TokenCache

// Silent decisions as text for users, and as names and members for programs.

extension SilentDecision.CachedTokenReason {
    package var name: String { String(describing: self) }

    /// Text to follow "cached token, ".
    package func words(_ token: CachedCredential, at now: Date) -> String {
        switch self {
        case .valid:
            token.expiresOn.map { end in TimeSpan.end(end) { "expires in " + $0.span(from: now) } } ?? "valid"
        case .storedByAnother: "just stored by another process"
        case .notRenewable: "still valid; renewal due, but no refresh token"
        case .notRenewed: "still valid; renewal on hold"
        case .extendedLifetime: "expired, in its extended lifetime; provider on hold"
        }
    }
}

extension SilentDecision {
    package func refreshReason(at now: Date) -> String {
        accessTokenFinding.map { "cached token " + $0.clause(at: now) } ?? "no cached token for these scopes"
    }

    /// The action of the silent call and its reason, such as `cached token, expires in 59 min`.
    package func words(at now: Date, clientID: String, clientName: (String) -> String) -> String {
        if let failure, case .refresh = outcome { return "waits for the provider: " + failure.message }
        switch outcome {
        case .serve(let token, let serving): return "cached token, " + serving.words(token, at: now)
        case .refresh(let candidates):
            let sent = candidates.first { $0.hold == nil }?.credential
            let holder = sent?.clientID ?? clientID
            let family = sent?.familyID?.isEmpty == false ? "family " : ""
            let whose = holder == clientID ? "" : " with \(clientName(holder))'s \(family)refresh token"
            return "refreshes\(whose); " + refreshReason(at: now)
        case .upgrade: return "refreshes with an ADAL cache's refresh token; " + refreshReason(at: now)
        case .interaction(let reason): return "needs sign-in; " + reason.failure.message
        case .failure(let failure): return "fails: " + failure.message
        }
    }
}

extension Date {
    fileprivate func span(from now: Date) -> String { TimeSpan.words(abs(timeIntervalSince(now))) }
}

extension InteractionReason {
    package var name: String {
        switch self {
        case .nobodySignedIn: "nobodySignedIn"
        case .signedOut: "signedOut"
        case .signingOut: "signingOut"
        case .otherProvider: "otherProvider"
        case .proofKeyMissing: "proofKeyMissing"
        case .noCredential: "noCredential"
        case .stepUp: "stepUp"
        case .askedByProvider: "askedByProvider"
        }
    }
}

extension CandidateCredential.Finding {
    package var name: String {
        switch self {
        case .served: "served"
        case .sent: "sent"
        case .notNeeded: "notNeeded"
        case .expired: "expired"
        case .expiresTooSoon: "expiresTooSoon"
        case .dueForRenewal: "dueForRenewal"
        case .storedInFuture: "storedInFuture"
        case .outlived: "outlived"
        case .forcedRefresh: "forcedRefresh"
        case .claimsAsked: "claimsAsked"
        case .stepUpAsked: "stepUpAsked"
        case .otherProofKey: "otherProofKey"
        case .duplicate: "duplicate"
        case .clientNotInFamily: "clientNotInFamily"
        case .tooMany: "tooMany"
        case .throttled: "throttled"
        case .refused: "refused"
        case .notReached: "notReached"
        case .mismatch(let mismatch): mismatch.name
        case .signedOut: "signedOut"
        case .otherProvider: "otherProvider"
        case .proofKeyMissing: "proofKeyMissing"
        case .legacyOfOther: "legacyOfOther"
        }
    }

    package var members: [(String, JSONValue)] {
        switch self {
        case .sent(let order): [("order", JSONValue(integer: order))]
        case .expiresTooSoon(_, let margin): [("margin", JSONValue(integer: Int(margin.rounded(.up))))]
        case .dueForRenewal(let since): [("refreshOn", since.rfc3339.json)]
        case .storedInFuture(let cachedAt): [("cachedAt", cachedAt.rfc3339.json)]
        case .tooMany(let count): [("tried", JSONValue(integer: count))]
        case .throttled(let until): [("until", until.rfc3339.json)]
        case .refused(let error, let until): [("oauthError", error.json), ("until", until.rfc3339.json)]
        case .otherProofKey(let key): [("keyId", key.json)]
        case .otherProvider(let asked): [("asked", asked.address.text.json)]
        case .mismatch(let mismatch): mismatch.members
        case .served, .notNeeded, .expired, .outlived, .forcedRefresh, .claimsAsked, .stepUpAsked, .duplicate,
            .clientNotInFamily,
            .notReached, .signedOut, .proofKeyMissing, .legacyOfOther:
            []
        }
    }

    /// Text to follow "cached token ".
    fileprivate func clause(at now: Date) -> String {
        switch self {
        case .forcedRefresh: "skipped: refresh forced"
        case .claimsAsked: "skipped: claims request"
        case .stepUpAsked: "skipped: the resource requires a new sign-in"
        default: words(at: now)
        }
    }

    package func words(at now: Date) -> String {
        func span(_ date: Date) -> String { date.span(from: now) }
        return switch self {
        case .served: "used"
        case .sent(let order): order == 1 ? "sent" : "sent if earlier ones are rejected (#\(order))"
        case .notNeeded: "not needed"
        case .expired(let end): "expired \(span(end)) ago"
        case .expiresTooSoon(let end, let margin): "expires in \(span(end)), \(TimeSpan.words(margin)) required"
        case .dueForRenewal(let since): "due for renewal for \(span(since))"
        case .storedInFuture(let cachedAt): "stored \(span(cachedAt)) in the future: wrong clock"
        case .outlived: "another one expires later"
        case .forcedRefresh: "skipped: refresh forced"
        case .claimsAsked: "skipped: claims request"
        case .stepUpAsked: "skipped: the resource requires a new sign-in"
        case .otherProofKey: "bound to another key"
        case .duplicate: "duplicate entry"
        case .clientNotInFamily: "family token; this client is not in the family"
        case .tooMany(let count): "\(count) others come first"
        case .throttled(let until): "throttled: retry in \(span(until))"
        case .refused(let error, let until):
            "the provider required sign-in (\(error)); retry in \(span(until))"
        case .notReached: "provider unreachable"
        case .mismatch(let mismatch): mismatch.words
        case .signedOut: "the account was signed out of this client"
        case .otherProvider(let asked): "other provider, not \(asked)"
        case .proofKeyMissing: "proof key missing"
        case .legacyOfOther: "for another client, cloud or issuer"
        }
    }
}

extension CredentialMismatch {
    fileprivate var name: String {
        switch self {
        case .otherIssuer: "otherIssuer"
        case .otherClient: "otherClient"
        case .otherTenant: "otherTenant"
        case .otherProofKey: "otherProofKey"
        case .boundToOther: "boundToOther"
        case .otherAgentSession: "otherAgentSession"
        case .ofAgentSession: "ofAgentSession"
        case .otherType: "otherType"
        case .scopesMissing: "scopesMissing"
        case .scopesBeyond: "scopesBeyond"
        case .otherResource: "otherResource"
        case .damaged: "damaged"
        case .tooLongLived: "tooLongLived"
        case .notOfFamily: "notOfFamily"
        }
    }

    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .otherIssuer(let issuer): [("issuer", issuer.json)]
        case .otherProofKey(let key): [("keyId", key.json)]
        case .otherAgentSession(let key): [("extCacheKey", key.json)]
        case .ofAgentSession(let key): [("extCacheKey", key.json)]
        case .otherType(let type): [("tokenType", type.json)]
        case .scopesMissing(let scopes): [("missing", scopes.json)]
        case .scopesBeyond(let scopes): [("beyond", scopes.json)]
        case .otherResource(let scopes): [("scopes", scopes.json)]
        case .damaged(let why): [("damage", why.json)]
        case .otherClient, .otherTenant, .boundToOther, .tooLongLived, .notOfFamily: []
        }
    }

    fileprivate var words: String {
        switch self {
        case .otherIssuer: "other issuer"
        case .otherClient: "other client"
        case .otherTenant(let realm): "other tenant (\(realm))"
        case .otherProofKey(let key): key == nil ? "not bound to a key" : "bound to another key"
        case .boundToOther: "bound to claims or to another assertion"
        case .otherAgentSession: "for another session or resource"
        case .ofAgentSession: "for an agent session or a resource"
        case .otherType(let type): "other type (\(type))"
        case .scopesMissing(let scopes): "missing scopes \(scopes)"
        case .scopesBeyond(let scopes): "more than this place gets: \(scopes)"
        case .otherResource: "other resource"
        case .damaged(let why): "damaged: \(why)"
        case .tooLongLived: "expires in more than ten years: wrong clock"
        case .notOfFamily: "another client's, not a family token"
        }
    }
}
