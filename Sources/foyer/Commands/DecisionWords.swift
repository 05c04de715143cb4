import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache

// A silent decision in words for a person, and in names and members for programs.

extension SilentDecision.Serving {
    var name: String { String(describing: self) }

    var words: String {
        switch self {
        case .valid: "which is valid"
        case .storedByAnother: "which another call stored meanwhile"
        case .notRenewable: "which is due for renewal and cannot be renewed, but is still valid"
        case .notRenewed: "which is due for renewal and still valid; the provider is not asked now"
        case .extendedLifetime: "which is over; the provider is not asked now, and the extended lifetime runs"
        }
    }
}

extension InteractionReason {
    var name: String {
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
    var name: String {
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
    var members: [(String, JSONValue)] {
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

    func words(at now: Date) -> String {
        func span(_ date: Date) -> String { Span.words(abs(date.timeIntervalSince(now))) }
        return switch self {
        case .served: "handed out"
        case .sent(let order): order == 1 ? "sent" : "sent if those before it are refused (number \(order))"
        case .notNeeded: "not needed"
        case .expired(let end): "expired \(span(end)) ago"
        case .expiresTooSoon(let end, let margin): "expires in \(span(end)), \(Span.words(margin)) are wanted"
        case .dueForRenewal(let since): "due for renewal for \(span(since))"
        case .storedInFuture(let cachedAt): "stored \(span(cachedAt)) in the future: a clock was wrong"
        case .outlived: "another one lives longer"
        case .forcedRefresh: "a new one is asked for"
        case .claimsAsked: "a claims request needs a new one"
        case .otherProofKey: "bound to another key"
        case .duplicate: "the same as another entry"
        case .clientNotInFamily: "a family's, and this client is not in the family"
        case .tooMany(let count): "\(count) others are tried first"
        case .throttled(let until): "the provider is not asked for another \(span(until))"
        case .refused(let error, let until):
            "the provider asked for a sign-in (\(error)), and is not asked again for \(span(until))"
        case .notReached: "the provider was not reached"
        case .mismatch(let mismatch): mismatch.words
        case .signedOut: "the account was signed out of this client"
        case .otherProvider(let asked): "of another provider than \(asked)"
        case .proofKeyMissing: "the key that it is bound to is gone"
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
        case .boundToOther: "bound to claims or to somebody else's assertion"
        case .otherType(let type): "of another type (\(type))"
        case .scopesMissing(let scopes): "without the scopes \(scopes)"
        case .otherResource: "for another resource"
        case .damaged(let why): "damaged: \(why)"
        case .tooLongLived: "said to live for more than ten years: a clock was wrong"
        case .notOfFamily: "another client's, and of no family"
        }
    }
}
