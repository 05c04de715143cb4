import Identity
import StrictJSON

import struct FoundationEssentials.Date

// ADAL.NET cache version 3 (`BinaryWriter`): version and item count as 32-bit little-endian integers, then two strings
// per item (7-bit length, UTF-8): the key `authority:::resource:::client:::subject` and a JSON object.

extension LegacyCache {
    mutating func readNetCache(_ bytes: [UInt8]) throws(LegacyProblem.Situation) {
        var cursor = ADALNetCache(bytes)
        let version = try cursor.integer()
        guard version == 3 else {
            throw .version("unsupported ADAL.NET cache version \(version), expected 3")
        }
        let count = try cursor.integer()
        guard count >= 0 else { throw .structure(offset: 4, what: "negative item count") }
        for item in 1...Swift.max(1, Int(count)) where item <= count {
            guard item <= Self.maximumItems else { throw .tooMany }
            let key: [UInt8]
            let value: [UInt8]
            do throws(LegacyProblem.Situation) { (key, value) = (try cursor.text(), try cursor.text()) } catch {
                // The start of the next item is now unknown.
                problems.append(LegacyProblem(error, item: item))
                return
            }
            add(item: item) { () throws(LegacyProblem.Situation) in try Self.entry(key: key, value: value) }
        }
        if cursor.left > 0 { problems.append(LegacyProblem(.trailingBytes(cursor.left))) }
    }

    private static func entry(key: [UInt8], value: [UInt8]) throws(LegacyProblem.Situation) -> LegacyEntry {
        guard let key = String(validating: key, as: UTF8.self) else { throw .malformed("key") }
        let parts = split(key)
        guard parts.count >= 4 else { throw .malformed("key") }
        let clientID = try LegacyFields.clientID(parts[2])
        switch parts[3] {
        case "0": break
        case "1", "2": throw .applicationCredential(clientID: clientID)
        default: throw .malformed("subject type")
        }
        let authority = try LegacyFields.authority(parts[0])
        let document: JSONValue
        do throws(JSONError) { document = try JSONValue(parsing: value, limits: JSONLimits(maximumDepth: 8)) } catch {
            throw .structure(offset: error.offset, what: error.problem.rawValue)
        }
        guard let object = document.object else { throw .structure(offset: 0, what: "the value is not an object") }
        let result = object["Result"]?.object ?? JSONObject()
        let person = result["UserInfo"]?.object ?? JSONObject()
        if let assertion = object["UserAssertionHash"]?.string, !assertion.isEmpty {
            throw .applicationCredential(clientID: clientID)
        }
        let refreshToken = try LegacyFields.token(object["RefreshToken"]?.string, "refresh token")
        let accessToken = try LegacyFields.token(result["AccessToken"]?.string, "access token")
        guard refreshToken != nil || accessToken != nil else { throw .missing("token") }
        // ADAL.NET treats a refresh token as valid for all resources if the response named the resource.
        let isMultiResource = object["ResourceInResponse"]?.string.map { !$0.isEmpty } ?? false
        let claims = LegacyFields.claims(ofIDToken: result["IdToken"]?.string)
        let names = [person["GivenName"]?.string, person["FamilyName"]?.string].compactMap(LegacyFields.optional)
        return LegacyEntry(
            kind: refreshToken == nil ? .accessTokenOnly : isMultiResource ? .multiResource : .singleResource,
            authority: authority,
            resource: try LegacyFields.text(parts[1], "resource"), clientID: clientID,
            userID: try LegacyFields.text(person["DisplayableId"]?.string, "user name")
                ?? LegacyFields.userID(of: claims),
            homeAccountID: LegacyFields.homeAccountID(clientInfo: object["RawClientInfo"]?.string),
            objectID: LegacyFields.optional(person["UniqueId"]?.string),
            tenantID: LegacyFields.optional(result["TenantId"]?.string ?? claims.string("tid")),
            identityProvider: LegacyFields.optional(person["IdentityProvider"]?.string),
            name: names.isEmpty ? nil : names.joined(separator: " "), refreshToken: refreshToken,
            accessToken: accessToken,
            expiresOn: date(result["ExpiresOn"]), extendedExpiresOn: date(result["ExtendedExpiresOn"]),
            idTokenClaims: claims)
    }

    private static func split(_ key: String) -> [String] {
        let bytes = Array(key.utf8)
        var parts: [String] = []
        var start = 0
        var index = 0
        while index + 3 <= bytes.count {
            if bytes[index..<index + 3].allSatisfy({ $0 == UInt8(ascii: ":") }) {
                parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
                index += 3
                start = index
            } else {
                index += 1
            }
        }
        parts.append(String(decoding: bytes[start...], as: UTF8.self))
        return parts
    }

    /// `/Date(1893459599000)/`, with or without a zone, or inside `{"DateTime","OffsetMinutes"}`: milliseconds in UTC.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let text = value?.string ?? value?["DateTime"]?.string, text.hasPrefix("/Date("), text.hasSuffix(")/")
        else { return nil }
        let digits = text.dropFirst(6).dropLast(2).prefix { $0.isASCII && $0.isNumber }
        guard let milliseconds = Int64(digits) else { return nil }
        return Date(epochSeconds: Double(milliseconds) / 1000)
    }
}

struct ADALNetCache {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the file starts with a small version number. Text never does, as three of the bytes are zero.
    static func isOne(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4 && bytes[0] > 0 && bytes[0] < 0x20 && bytes[1...3].allSatisfy { $0 == 0 }
    }

    var left: Int { bytes.count - place }

    mutating func integer() throws(LegacyProblem.Situation) -> Int32 {
        guard left >= 4 else { throw .truncated }
        defer { place += 4 }
        return Int32(truncatingIfNeeded: bytes[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    /// The bytes of a string. Its length comes first: seven bits a byte, low bits first, at most five bytes.
    mutating func text() throws(LegacyProblem.Situation) -> [UInt8] {
        var length = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard left > 0 else { throw .truncated }
            let byte = bytes[place]
            place += 1
            length |= Int(byte & 0x7F) << shift
            if byte < 0x80 {
                guard length <= left else { throw .truncated }
                defer { place += length }
                return Array(bytes[place..<place + length])
            }
        }
        throw .structure(offset: place, what: "a length of more than five bytes")
    }
}
