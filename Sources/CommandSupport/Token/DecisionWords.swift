import Explain
package import FoundationEssentials
package import Identity
package import SilentFirst
package import StrictJSON
import TokenCache

// A silent decision in words for a person, and in names and members for programs.

extension SilentDecision.Serving {
    package var name: String { String(describing: self) }

    /// What is to be said of the cached token that is returned, to go on from "cached token, ".
    package func words(_ token: CachedCredential, at now: Date) -> String {
        switch self {
        case .valid: token.expiresOn.map { "expires in " + $0.span(from: now) } ?? "valid"
        case .storedByAnother: "stored by another call meanwhile"
        case .notRenewable: "still valid; due for renewal, and no refresh token to renew it"
        case .notRenewed: "still valid; due for renewal, and the provider is not asked now"
        case .extendedLifetime: "expired, in its extended lifetime; the provider is not asked now"
        }
    }
}

extension SilentDecision {
    /// Why a refresh token is sent, or would be.
    package func refreshReason(at now: Date) -> String {
        accessTokenFinding.map { "cached token " + $0.clause(at: now) } ?? "no cached token for these scopes"
    }

    /// What the silent call does and why, such as `cached token, expires in 59 min`.
    ///
    /// - Parameter clientID: in whose name it asks.
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
        case .otherProvider: "otherProvider"
        case .proofKeyMissing: "proofKeyMissing"
        case .noCredential: "noCredential"
        case .askedByProvider: "askedByProvider"
        }
    }
}

extension ConsideredCredential.Finding {
    /// The name for programs.
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

    /// What the name leaves open, as members of an object.
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
        case .served, .notNeeded, .expired, .outlived, .forcedRefresh, .claimsAsked, .duplicate, .clientNotInFamily,
            .notReached, .signedOut, .proofKeyMissing, .legacyOfOther:
            []
        }
    }

    /// What goes on from "cached token".
    fileprivate func clause(at now: Date) -> String {
        switch self {
        case .forcedRefresh: "skipped: refresh forced"
        case .claimsAsked: "skipped: claims request"
        default: words(at: now)
        }
    }

    package func words(at now: Date) -> String {
        func span(_ date: Date) -> String { date.span(from: now) }
        return switch self {
        case .served: "used"
        case .sent(let order): order == 1 ? "sent" : "sent if those before it are refused (number \(order))"
        case .notNeeded: "not needed"
        case .expired(let end): "expired \(span(end)) ago"
        case .expiresTooSoon(let end, let margin): "expires in \(span(end)), \(TimeSpan.words(margin)) required"
        case .dueForRenewal(let since): "due for renewal since \(span(since)) ago"
        case .storedInFuture(let cachedAt): "stored \(span(cachedAt)) in the future: a clock was wrong"
        case .outlived: "another one expires later"
        case .forcedRefresh: "skipped: refresh forced"
        case .claimsAsked: "skipped: claims request"
        case .otherProofKey: "bound to another key"
        case .duplicate: "the same as another entry"
        case .clientNotInFamily: "a family's, and this client is not in the family"
        case .tooMany(let count): "\(count) others are tried first"
        case .throttled(let until): "the provider is not asked for another \(span(until))"
        case .refused(let error, let until):
            "the provider required sign-in (\(error)), and is not asked again for \(span(until))"
        case .notReached: "the provider was not reached"
        case .mismatch(let mismatch): mismatch.words
        case .signedOut: "the account was signed out of this client"
        case .otherProvider(let asked): "of another provider than \(asked)"
        case .proofKeyMissing: "its key is missing"
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
        case .otherResource(let scopes): [("scopes", scopes.json)]
        case .damaged(let why): [("damage", why.json)]
        case .otherClient, .otherTenant, .boundToOther, .tooLongLived, .notOfFamily: []
        }
    }

    fileprivate var words: String {
        switch self {
        case .otherIssuer: "of another issuer"
        case .otherClient: "of another client"
        case .otherTenant(let realm): "for another tenant (\(realm))"
        case .otherProofKey(let key): key == nil ? "bound to no key" : "bound to another key"
        case .boundToOther: "bound to claims or to another assertion"
        case .otherAgentSession: "not of this agent's session"
        case .ofAgentSession: "of an agent's session"
        case .otherType(let type): "of another type (\(type))"
        case .scopesMissing(let scopes): "without the scopes \(scopes)"
        case .otherResource: "for another resource"
        case .damaged(let why): "damaged: \(why)"
        case .tooLongLived: "expires in more than ten years: a clock was wrong"
        case .notOfFamily: "another client's, and of no family"
        }
    }
}
