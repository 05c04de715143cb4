// Tokens/ puts a token's claims into rows for a person. Nothing here has been checked.

package import FoundationEssentials
package import Identity
import StrictJSON

/// A row of a decoded token: a claim, or a part of one that is nested.
package struct ClaimLine: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case time(Date)
        /// Its parts follow, one level deeper.
        case parts(Int)
    }

    package var name: String
    /// How deep it lies; 0 is a claim of the token itself.
    package var depth: Int
    package var value: Value
    package var meaning: String?
}

/// What a token says of itself, put into words once for the screen, the command and the files: nothing of it has been
/// checked.
package struct DecodedToken: Hashable, Sendable {
    package let header: [ClaimLine]
    package let claims: [ClaimLine]
    /// `scp` or `scope`: what was delegated.
    package let scopes: ScopeSet
    /// `tid`.
    package let tenantID: String?
    /// Whom it is about: the name that the person types, or the application.
    package let subjectName: String?
    /// `aud`.
    package let audiences: [String]
    /// `azp`, `appid` or `client_id`.
    package let clientID: String?
    /// `roles`: what was assigned to the person or the program.
    package let roles: [String]
    /// `iat` (else `nbf`) and `exp`.
    package let issuedAt: Date?
    package let expiresAt: Date?
    package let notBefore: Date?
    /// Why nobody but the resource can check the signature; nil when anybody can try.
    package let notVerifiable: String?
    /// Why anybody can have written it; nil where it is signed.
    package let unsigned: String?
    /// What it lets its bearer do, the riskiest first.
    package let permissions: [TokenPermission]

    package init(_ token: DecodedJWT) {
        header = Self.lines(token.header)
        claims = Self.lines(token.payload)
        scopes = ScopeSet(token.payload.strings("scp") + token.payload.strings("scope"))
        roles = token.payload.strings("roles")
        tenantID = token.payload.string("tid")
        subjectName = token.payload.username ?? token.payload.string("app_displayname")
        audiences = token.payload.strings("aud")
        clientID = ["azp", "appid", "client_id"].lazy.compactMap { token.payload.string($0) }.first
        issuedAt = token.payload.date("iat") ?? token.payload.date("nbf")
        expiresAt = token.payload.date("exp")
        notBefore = token.payload.date("nbf")
        notVerifiable = Self.notVerifiable(token)
        unsigned = Self.unsigned(token)
        permissions = TokenPermission.all(of: token.payload, scopes: scopes, roles: roles)
    }

    /// Microsoft Graph's tokens carry a nonce in the header that is replaced before signing: nobody else can check
    /// them.
    package static func notVerifiable(_ token: DecodedJWT) -> String? {
        token.header["nonce"] == nil ? nil : "the header has a nonce that only the resource can undo"
    }

    /// Header and claims as one JSON text with a line break at the end, as a file keeps them. The signature is not in
    /// it: it is no token any more.
    package static func exported(_ token: DecodedJWT) -> String {
        let members = [
            JSONMember(name: "header", value: .object(JSONObject(token.header.members))),
            JSONMember(name: "payload", value: .object(JSONObject(token.payload.members))),
        ]
        return JSONValue.object(JSONObject(members)).serialized(pretty: true) + "\n"
    }

    // MARK: Nested claims

    /// Rows in all, rows of one list, and levels that are opened: a token of thousands of groups must stay readable.
    static let maximumLines = 400
    static let maximumParts = 24
    static let maximumDepth = 3

    private static func lines(_ claims: Claims) -> [ClaimLine] {
        var lines: [ClaimLine] = []
        for member in claims.members where lines.count < maximumLines {
            let meaning = ClaimMeanings.of(member.name)
            if ClaimMeanings.times.contains(member.name), let date = claims.date(member.name) {
                lines.append(ClaimLine(name: member.name, depth: 0, value: .time(date), meaning: meaning))
            } else {
                add(member.value, named: member.name, depth: 0, meaning: meaning, to: &lines)
            }
        }
        if claims.members.count > lines.count, lines.count >= maximumLines {
            lines.append(
                ClaimLine(name: "…", depth: 0, value: .text("and more: there are \(claims.members.count) claims")))
        }
        return lines
    }

    private static func add(
        _ value: JSONValue, named name: String, depth: Int, meaning: String? = nil, to lines: inout [ClaimLine]
    ) {
        var line = ClaimLine(name: name, depth: depth, value: .text(""), meaning: meaning)
        var parts: [JSONMember] = []
        switch value {
        case .string(let text): line.value = .text(text)
        case .null, .bool, .number: line.value = .text(value.serialized())
        case .array(let values):
            let texts = values.compactMap(\.string)
            // A short list of words is one line.
            if texts.count == values.count, values.count <= 8, !values.isEmpty {
                line.value = .text(texts.joined(separator: ", "))
            } else {
                parts = values.enumerated().map { JSONMember(name: String($0.offset), value: $0.element) }
                line.value = .parts(parts.count)
            }
        case .object(let object):
            parts = object.members
            line.value = .parts(parts.count)
        }
        lines.append(line)
        for part in parts.prefix(maximumParts) where lines.count < maximumLines {
            if depth + 1 < maximumDepth {
                add(part.value, named: part.name, depth: depth + 1, to: &lines)
            } else {
                lines.append(
                    ClaimLine(
                        name: part.name, depth: depth + 1, value: .text(part.value.string ?? part.value.serialized())))
            }
        }
        if parts.count > maximumParts {
            lines.append(ClaimLine(name: "…", depth: depth + 1, value: .text("and \(parts.count - maximumParts) more")))
        }
    }
}

extension ClaimLine.Value {
    /// The value in words.
    ///
    /// - Parameter time: how a date is said.
    package func words(_ time: (Date) -> String) -> String {
        switch self {
        case .text(let text): text.isEmpty ? "(empty)" : text
        case .time(let date): time(date)
        case .parts(0): "(empty)"
        case .parts(1): "1 item"
        case .parts(let count): "\(count) items"
        }
    }
}
