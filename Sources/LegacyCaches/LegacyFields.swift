package import Identity
import StrictJSON

import struct FoundationEssentials.Date

/// Validates the fields of all formats before they become an entry, as the values are used in requests and on screens.
package enum LegacyFields {
    /// Maximum token length, in bytes.
    static let longestToken = 65_536
    /// Maximum length of a parsed ID token, in bytes: many items of one archive can share one.
    private static let longestIDToken = 32_768

    /// A token as in RFC 6749 appendix A.12 and A.17: visible ASCII and spaces.
    package static func token(_ text: String?, _ field: String) throws(LegacyProblem.Situation) -> Secret? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longestToken, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .malformed(field)
        }
        return Secret(text)
    }

    /// A client ID: visible ASCII without spaces.
    package static func clientID(_ text: String?) throws(LegacyProblem.Situation) -> String {
        guard let text, !text.isEmpty else { throw .missing("client ID") }
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("client ID")
        }
        return text
    }

    static func authority(_ text: String?) throws(LegacyProblem.Situation) -> Authority {
        guard let text, !text.isEmpty else { throw .missing("authority") }
        do { return try Authority(text) } catch { throw .malformed("authority") }
    }

    /// A string for display: bounded, without control characters. Nil if empty.
    static func text(_ text: String?, _ field: String) throws(LegacyProblem.Situation) -> String? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count <= 1024,
            trimmed.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && $0 != "\u{FFFD}" })
        else { throw .malformed(field) }
        return trimmed
    }

    /// An optional field: nil if its value is invalid.
    package static func optional(_ given: String?) -> String? {
        do { return try text(given, "") } catch { return nil }
    }

    /// `uid.utid`: ASCII without spaces, both parts non-empty.
    package static func homeAccountID(_ text: String?) -> String? {
        guard let text = optional(text), text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { !$0.isEmpty } ? text : nil
    }

    static func homeAccountID(clientInfo text: String?) -> String? {
        guard let text, text.utf8.count <= 4096, let bytes = Base64URL.decodeLeniently(text),
            let object = json(bytes)?.object,
            let user = object["uid"]?.string, let tenant = object["utid"]?.string
        else { return nil }
        return homeAccountID("\(user).\(tenant)")
    }

    /// Claims of an ID token, for display. ADAL's have no signature, and some consist of the payload part only.
    static func claims(ofIDToken text: String?) -> Claims {
        guard let text, text.utf8.count <= longestIDToken else { return Claims() }
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard let part = parts.count == 1 ? parts.first : parts.dropFirst().first, !part.isEmpty,
            let bytes = Base64URL.decodeLeniently(String(part)), let object = json(bytes)?.object
        else { return Claims() }
        return Claims(object)
    }

    /// The user ID that ADAL derives from an ID token: the first of these claims that is set.
    static func userID(of claims: Claims) -> String? {
        for name in ["upn", "email", "sub", "oid", "unique_name", "altsecid"] {
            if let text = claims.string(name).flatMap(optional) { return text.asciiLowercased }
        }
        return nil
    }

    /// Expiry from the token's own `exp`, if the token is a JWT.
    static func end(of token: Secret?) -> Date? {
        guard let token else { return nil }
        do { return try DecodedJWT(token).payload.date("exp") } catch { return nil }
    }

    /// The family of a family token, whose client ID is `foci-1`.
    package static func family(ofClient clientID: String) -> String? {
        clientID.hasPrefix("foci-") && clientID.utf8.count > 5 ? String(clientID.dropFirst(5)) : nil
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        do {
            return try JSONValue(
                parsing: bytes, limits: JSONLimits(maximumBytes: DecodedJWT.maximumLength, maximumDepth: 8))
        } catch {
            return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        while let first = rest.first, first.properties.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest = rest.dropLast() }
        return String(rest)
    }
}
