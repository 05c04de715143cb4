package import Identity
import StrictJSON

import struct FoundationEssentials.Date

/// The checks that every format's fields go through before they become an entry: what is accepted here reaches requests
/// and screens.
package enum LegacyFields {
    /// Longest token that is taken, in bytes.
    static let longestToken = 65_536
    /// Longest ID token that is looked into, in bytes: many items of one archive may share it.
    private static let longestIDToken = 32_768

    /// A token as RFC 6749 appendix A.12 and A.17 allow it: visible ASCII and spaces.
    package static func token(_ text: String?, _ field: String) throws(LegacyProblem.Situation) -> Secret? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longestToken, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .malformed(field)
        }
        return Secret(text)
    }

    /// A client identifier: visible ASCII without spaces.
    package static func clientID(_ text: String?) throws(LegacyProblem.Situation) -> String {
        guard let text, !text.isEmpty else { throw .missing("client id") }
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("client id")
        }
        return text
    }

    static func authority(_ text: String?) throws(LegacyProblem.Situation) -> Authority {
        guard let text, !text.isEmpty else { throw .missing("authority") }
        do { return try Authority(text) } catch { throw .malformed("authority") }
    }

    /// A text for a person to read: bounded, without control characters. Nil when it is empty.
    static func text(_ text: String?, _ field: String) throws(LegacyProblem.Situation) -> String? {
        guard let text else { return nil }
        let trimmed = trimmed(text)
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count <= 1024,
            trimmed.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && $0 != "\u{FFFD}" })
        else { throw .malformed(field) }
        return trimmed
    }

    /// A field that is not worth an entry: nil when it is not fit to be used.
    package static func optional(_ given: String?) -> String? {
        do { return try text(given, "") } catch { return nil }
    }

    /// `uid.utid`: ASCII without spaces, both parts there.
    package static func homeAccountID(_ text: String?) -> String? {
        guard let text = optional(text), text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { !$0.isEmpty } ? text : nil
    }

    /// `client_info`: base64url of `{"uid","utid"}`.
    static func homeAccountID(clientInfo text: String?) -> String? {
        guard let text, text.utf8.count <= 4096, let bytes = Base64URL.decodeLeniently(text),
            let object = json(bytes)?.object,
            let user = object["uid"]?.string, let tenant = object["utid"]?.string
        else { return nil }
        return homeAccountID("\(user).\(tenant)")
    }

    /// The claims of an ID token, for showing. ADAL's have no signature, and some have only the one part that holds the
    /// claims.
    static func claims(ofIDToken text: String?) -> Claims {
        guard let text, text.utf8.count <= longestIDToken else { return Claims() }
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard let part = parts.count == 1 ? parts.first : parts.dropFirst().first, !part.isEmpty,
            let bytes = Base64URL.decodeLeniently(String(part)), let object = json(bytes)?.object
        else { return Claims() }
        return Claims(object)
    }

    /// The user id that ADAL made of an ID token: the first of these claims that is there.
    static func userID(of claims: Claims) -> String? {
        for name in ["upn", "email", "sub", "oid", "unique_name", "altsecid"] {
            if let text = claims.string(name).flatMap(optional) { return text.asciiLowercased }
        }
        return nil
    }

    /// When a token ends by its own word, if it can be looked into.
    static func end(of token: Secret?) -> Date? {
        guard let token else { return nil }
        do { return try DecodedJWT(token).payload.date("exp") } catch { return nil }
    }

    /// `foci-1` is in the place of the client for family tokens.
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
