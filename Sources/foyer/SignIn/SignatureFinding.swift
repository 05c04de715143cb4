import Explain
import Identity
import SilentFirst
import StrictJSON
import Wire

/// The result of checking a token's signature; always shown.
enum SignatureFinding: Equatable, Sendable {
    case notChecked
    case right(key: String)
    case wrong(String)
    /// The issuer means it to be read by its resource alone.
    case notVerifiable(String)

    var words: String {
        switch self {
        case .notChecked: "not checked; --verify checks it with the issuer's keys"
        case .right(let key): "valid (key \(key))"
        case .wrong(let why): "INVALID: \(why)"
        case .notVerifiable(let why): "not verifiable by design: \(why)"
        }
    }

    var json: JSONValue {
        switch self {
        case .notChecked: JSONValue(("status", "notChecked"))
        case .right(let key): JSONValue(("status", "verified"), ("key", key.json))
        case .wrong(let why): JSONValue(("status", "invalid"), ("detail", why.json))
        case .notVerifiable(let why): JSONValue(("status", "notVerifiable"), ("detail", why.json))
        }
    }

    /// - Parameters:
    ///   - known: the issuers whose keys may be fetched.
    ///   - asking: called with the host before the request.
    static func check(
        _ jwt: DecodedJWT, provider: Provider, known: KnownIssuers, asking: (String) -> Void = { _ in }
    ) async throws(Failure) -> SignatureFinding {
        if let why = DecodedToken.notVerifiable(jwt) { return .notVerifiable(why) }
        guard let issuer = jwt.payload.string("iss") else {
            throw Failure(
                .invalidInput,
                jwt.payload["iss"] == nil ? "the token names no issuer" : "the token's issuer is not a text")
        }
        let place = try known.place(of: issuer)
        asking(place.host)
        do {
            switch try await provider.signature(of: jwt, at: place) {
            case .verified(let key): return .right(key: key)
            case .noSuchKey: return .wrong("the issuer has no such key")
            case .mismatch: return .wrong("it does not fit the issuer's key")
            case .unsupportedAlgorithm: return .wrong("its algorithm is not accepted")
            case .criticalExtension: return .wrong("it demands an extension that is not understood (crit)")
            case .weakKey: return .wrong("the issuer's key is too weak: RSA keys have at least 2048 bits")
            }
        } catch { throw error }
    }
}
