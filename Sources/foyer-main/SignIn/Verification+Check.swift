import CommandSupport
import Explain
import Identity
import SilentFirst
import StrictJSON
import Wire

extension Verification {
    var json: JSONValue {
        switch self {
        case .notChecked, .checking, .mayAsk: JSONValue(("status", "notChecked"))
        case .failed(let why): JSONValue(("status", "notChecked"), ("detail", why.json))
        case .right(let key): JSONValue(("status", "verified"), ("key", key.json))
        case .wrong(let why): JSONValue(("status", "invalid"), ("detail", why.json))
        case .notVerifiable(let why): JSONValue(("status", "notVerifiable"), ("detail", why.json))
        case .accepted(let host, let claims):
            JSONValue(("status", "accepted"), ("server", host.json), ("answer", claims.json))
        case .rejected(let host): JSONValue(("status", "rejected"), ("server", host.json))
        }
    }

    /// - Parameters:
    ///   - known: the issuers whose keys may be fetched.
    ///   - mayAsk: called with the place before the request; if false, nothing is sent and the host is returned.
    static func check(
        _ jwt: DecodedJWT, provider: Provider, known: KnownIssuers, mayAsk: (KnownIssuers.Configured) -> Bool
    ) async throws(Failure) -> Verification {
        if let why = DecodedToken.notVerifiable(jwt) { return .notVerifiable(why) }
        guard let issuer = jwt.payload.string("iss") else {
            throw Failure(
                .invalidInput,
                jwt.payload["iss"] == nil ? "no issuer in the token" : "the issuer is not a string")
        }
        let place = try known.place(of: issuer)
        guard mayAsk(place) else { return .mayAsk(host: place.host) }
        switch try await provider.signature(of: jwt, at: place) {
        case .verified(let key): return .right(key: key)
        case .noSuchKey: return .wrong("the issuer has no such key")
        case .otherKindOfKey: return .wrong("the issuer's key is not for its algorithm")
        case .mismatch: return .wrong("does not match the issuer's key")
        case .unsupportedAlgorithm: return .wrong("its algorithm is not accepted")
        case .criticalExtension: return .wrong("requires an unsupported extension (crit)")
        case .weakKey: return .wrong("the issuer's key is too weak: RSA keys have at least 2048 bits")
        }
    }
}

extension PublicClientApplication {
    /// The answer of the server that issued an opaque token.
    func verification(of credential: CachedCredential) async throws(Failure) -> Verification {
        let (host, answer) = try await review(credential)
        return switch answer {
        case .accepted(let object): .accepted(host: host, Claims(object))
        case .rejected: .rejected(host: host)
        }
    }
}

extension CommandContext {
    /// Issuers whose keys may be fetched because a token names them: the authorities in options, environment and
    /// settings.
    func knownIssuers() -> KnownIssuers {
        let named = [shared.authority, environment["FOYER_AUTHORITY"]].compactMap(\.self).flatMap { text in
            // `--authority` can also be a token's exact issuer, whatever kind of authority it looks like.
            [try? Authority(text), try? Authority(text, kind: .oidc)].compactMap {
                $0.map { KnownIssuers.Configured($0) }
            }
        }
        let configured = settings.clients.compactMap { client -> KnownIssuers.Configured? in
            guard let text = client.authority, let authority = try? Authority(text, kind: client.kind) else {
                return nil
            }
            return KnownIssuers.Configured(authority, client.behaviour.endpoints)
        }
        return KnownIssuers(named + configured)
    }
}
