import Identity
import StrictJSON

import struct FoundationEssentials.Date

// `accessTokens.json`: a JSON list of flat objects, as serialized by ADAL for Python. The old Azure CLI kept service
// principals in the same list and could leave the tail of an older, longer file at the end. So the list is split here,
// and each item is parsed strictly on its own.

extension LegacyCache {
    mutating func readAccessTokens(
        _ text: [UInt8], from start: Int, localTime: (LegacyTime) -> Double?
    ) throws(LegacyProblem.Situation) {
        var list = JSONListScanner(text, after: start)
        var item = 0
        while true {
            switch list.next() {
            case .end(let trailing):
                if trailing > 0 { problems.append(LegacyProblem(.trailingBytes(trailing))) }
                return
            case .cutOff: throw .truncated
            case .notAnObject(let offset):
                item += 1
                problems.append(LegacyProblem(.structure(offset: offset, what: "not an object"), item: item))
            case .damaged(let error):
                item += 1
                problems.append(
                    LegacyProblem(.structure(offset: error.offset, what: error.problem.rawValue), item: item))
            case .object(let object):
                item += 1
                if object["Key"] != nil, object["Value"]?.array != nil {
                    throw .notLegacy("unsupported cache of an early MSAL for .NET")
                }
                add(item: item) { () throws(LegacyProblem.Situation) in try Self.entry(object, localTime: localTime) }
            }
            guard item < Self.maximumItems else { throw .tooMany }
        }
    }

    private static func entry(
        _ object: JSONObject, localTime: (LegacyTime) -> Double?
    ) throws(LegacyProblem.Situation) -> LegacyEntry {
        func text(_ name: String) throws(LegacyProblem.Situation) -> String? {
            guard let value = object[name], value != .null else { return nil }
            guard let text = value.string else { throw .malformed(name) }
            return text
        }
        if let principal = object["servicePrincipalId"] {
            throw .applicationCredential(clientID: try LegacyFields.clientID(principal.string))
        }
        let clientID = try LegacyFields.clientID(try text("_clientId"))
        let authority = try LegacyFields.authority(try text("_authority"))
        let refreshToken = try LegacyFields.token(try text("refreshToken"), "refresh token")
        let accessToken = try LegacyFields.token(try text("accessToken"), "access token")
        guard refreshToken != nil || accessToken != nil else { throw .missing("token") }
        let end = try text("expiresOn").flatMap { Self.end($0, localTime) }
        let isMultiResource = object["isMRRT"]?.bool ?? false
        let names = [try text("givenName"), try text("familyName")].compactMap(LegacyFields.optional)
        return LegacyEntry(
            kind: refreshToken == nil ? .accessTokenOnly : isMultiResource ? .multiResource : .singleResource,
            authority: authority,
            resource: try LegacyFields.text(try text("resource"), "resource"), clientID: clientID,
            userID: try LegacyFields.text(try text("userId"), "user name"),
            isUserIDShown: object["isUserIdDisplayable"]?.bool ?? true,
            objectID: LegacyFields.optional(try text("oid")), tenantID: LegacyFields.optional(try text("tenantId")),
            identityProvider: LegacyFields.optional(try text("identityProvider")),
            name: names.isEmpty ? nil : names.joined(separator: " "),
            refreshToken: refreshToken, accessToken: accessToken,
            // The token's own expiry is better: the file's time has no zone, and the machine's zone may have changed.
            expiresOn: LegacyFields.end(of: accessToken) ?? end)
    }

    private static func end(_ text: String, _ localTime: (LegacyTime) -> Double?) -> Date? {
        guard let time = LegacyTime(text) else { return nil }
        return (time.isUTC ? time.secondsInUTC : localTime(time)).flatMap { Date(epochSeconds: $0) }
    }
}

/// Scans a JSON list object by object, and resumes after a damaged one.
struct JSONListScanner {
    enum ListItem {
        case object(JSONObject)
        case damaged(JSONError)
        case notAnObject(offset: Int)
        case end(trailing: Int)
        case cutOff
    }

    private static let limits = JSONLimits(maximumBytes: 524_288, maximumDepth: 8)

    private let text: [UInt8]
    private var place: Int
    /// Bytes left for the search after damaged items: bounds the time spent on one file.
    private var patience = 33_554_432

    /// - Parameter start: the position of the list's opening bracket.
    init(_ text: [UInt8], after start: Int) {
        self.text = text
        place = start + 1
    }

    mutating func next() -> ListItem {
        while place < text.count, LegacyText.isWhitespace(text[place]) || text[place] == UInt8(ascii: ",") {
            place += 1
        }
        guard place < text.count else { return .cutOff }
        if text[place] == UInt8(ascii: "]") {
            let rest = text[(place + 1)...].drop(while: LegacyText.isWhitespace)
            return .end(trailing: rest.count)
        }
        let start = place
        guard text[start] == UInt8(ascii: "{") else {
            skipValue()
            return .notAnObject(offset: start)
        }
        let end = endOfObject(from: start)
        do throws(JSONError) {
            if let end {
                let value = try JSONValue(parsing: Array(text[start..<end]), limits: Self.limits)
                place = end
                if let object = value.object { return .object(object) }
            }
            throw JSONError(offset: text.count - start, problem: .unexpectedEnd)
        } catch {
            // A missing quote inverts everything after it, so the next object may begin within this one.
            if let next = nextObject(after: start, before: end ?? text.count) {
                place = next
            } else if let end {
                place = end
            } else {
                place = text.count
                return .cutOff
            }
            return .damaged(JSONError(offset: start + error.offset, problem: error.problem))
        }
    }

    /// The position after the matching closing brace or bracket; nil if there is none within the limits.
    private mutating func endOfObject(from start: Int) -> Int? {
        var depth = 0
        var isInText = false
        var index = start
        defer { patience -= index - start }
        let last = min(text.count, start + Self.limits.maximumBytes)
        while index < last {
            switch text[index] {
            case UInt8(ascii: "\\") where isInText: index += 1
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "{") where !isInText, UInt8(ascii: "[") where !isInText:
                depth += 1
                if depth > Self.limits.maximumDepth { return nil }
            case UInt8(ascii: "}") where !isInText, UInt8(ascii: "]") where !isInText:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The start of the next item after a comma or another object. Never inside a string, as its quotes are escaped.
    private mutating func nextObject(after start: Int, before end: Int) -> Int? {
        var index = start + 1
        var before: UInt8 = UInt8(ascii: "{")
        while index < end, patience > 0 {
            defer {
                if !LegacyText.isWhitespace(text[index]) { before = text[index] }
                index += 1
            }
            guard text[index] == UInt8(ascii: "{"), before == UInt8(ascii: ",") || before == UInt8(ascii: "}") else {
                continue
            }
            guard let close = endOfObject(from: index) else { continue }
            patience -= close - index
            let candidate = try? JSONValue(parsing: Array(text[index..<close]), limits: Self.limits)
            if candidate?["_clientId"] != nil || candidate?["servicePrincipalId"] != nil { return index }
        }
        return nil
    }

    /// Skips a value that is not an object: stops at the next comma or bracket outside it.
    private mutating func skipValue() {
        if text[place] == UInt8(ascii: "["), let end = endOfObject(from: place) {
            place = end
            return
        }
        var isInText = false
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "\\"), isInText { place += 1 }
            if byte == UInt8(ascii: "\"") { isInText.toggle() }
            if !isInText, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") { return }
            place += 1
        }
        place = min(place, text.count)
    }
}
