// Tokens/ presents a token's claims as rows. Nothing here has been verified.

package import FoundationEssentials
package import Identity
import StrictJSON

/// A row of a decoded token: a claim, or part of a nested one.
package struct ClaimLine: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        case time(Date)
        /// The number of following parts, one level deeper.
        case parts(Int)
    }

    package var name: String
    /// The nesting level; 0 for a claim of the token itself.
    package var depth: Int
    package var value: Value
    package var meaning: String?
}

/// A token's contents, prepared once for screens, commands and files. None of it has been verified.
package struct DecodedToken: Hashable, Sendable {
    package let header: [ClaimLine]
    package let claims: [ClaimLine]
    /// `scp` or `scope`: the delegated scopes.
    package let scopes: ScopeSet
    /// `tid`.
    package let tenantID: String?
    package let subjectName: String?
    /// `aud`.
    package let audiences: [String]
    /// `azp`, `appid` or `client_id`.
    package let clientID: String?
    /// `roles`: the roles assigned to the user or application.
    package let roles: [String]
    /// `iat` (or `nbf`) and `exp`.
    package let issuedAt: Date?
    package let expiresAt: Date?
    package let notBefore: Date?
    /// The reason that only the resource can verify the signature; nil if anyone can.
    package let notVerifiable: String?
    /// The reason that anyone could have written it; nil if it is signed.
    package let unsigned: String?
    /// The permissions that it grants, riskiest first.
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

    /// The rows of a server's answer about an opaque token.
    package static func rows(of answer: Claims) -> [ClaimLine] { lines(answer) }

    /// Microsoft Graph tokens carry a header nonce that is replaced before signing, so only Graph can verify them.
    package static func notVerifiable(_ token: DecodedJWT) -> String? {
        token.header["nonce"] == nil ? nil : "nonce in the header: only the resource can verify it"
    }

    /// Header and claims as JSON with a final line break, for a file. Without the signature, it cannot be used as a
    /// token.
    package static func exported(_ token: DecodedJWT) -> String {
        let members = [
            JSONMember(name: "header", value: .object(JSONObject(token.header.members))),
            JSONMember(name: "payload", value: .object(JSONObject(token.payload.members))),
        ]
        return JSONValue.object(JSONObject(members)).serialized(pretty: true) + "\n"
    }

    // MARK: Nested claims

    /// Limits for all rows, the rows of one list, and nesting, so that a token with thousands of groups stays readable.
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
                ClaimLine(name: "…", depth: 0, value: .text("and more: \(claims.members.count) claims in total")))
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
            // A short list of strings is one line.
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
    /// The value as text.
    ///
    /// - Parameter time: formats a date.
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
