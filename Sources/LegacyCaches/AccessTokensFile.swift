import Identity
import StrictJSON

import struct FoundationEssentials.Date

// `accessTokens.json`: a JSON list of flat objects, as ADAL for Python serializes its cache. The old Azure CLI put its
// service principals into the same list, and left the tail of a longer text behind a shorter one: so the list is taken
// apart here, item by item, and each item goes through the strict reader on its own.

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
                problems.append(LegacyProblem(.structure(offset: offset, what: "it is not an object"), item: item))
            case .damaged(let error):
                item += 1
                problems.append(
                    LegacyProblem(.structure(offset: error.offset, what: error.problem.rawValue), item: item))
            case .object(let object):
                item += 1
                if object["Key"] != nil, object["Value"]?.array != nil {
                    throw .notLegacy("it is a cache of an early MSAL for .NET, which is not read")
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
            // The token's own word is better: the file's time has no zone, and the machine's may have changed since.
            expiresOn: LegacyFields.end(of: accessToken) ?? end)
    }

    private static func end(_ text: String, _ localTime: (LegacyTime) -> Double?) -> Date? {
        guard let time = LegacyTime(text) else { return nil }
        return (time.isUTC ? time.secondsInUTC : localTime(time)).flatMap { Date(epochSeconds: $0) }
    }
}

/// Goes through a JSON list from object to object, and finds the next one behind a damaged one.
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
    /// How many bytes may still be looked at in the search behind damaged items, so that no file makes it long.
    private var patience = 33_554_432

    /// - Parameter start: where the list's bracket is.
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
            // A missing quote turns all that follows inside out: the next object may well begin within what was taken
            // for this one.
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

    /// One past the brace or bracket that closes what begins here; nil when there is none within the limits.
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

    /// Where a well-formed item begins that stands behind a comma or another object. Text within a string never looks
    /// like one, as its quotes are escaped.
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

    /// Passes over a value that is no object: up to the comma or the bracket behind it, but not those within it.
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
