import FoundationEssentials
import Identity
import StrictJSON

// The values of the field as JSON, one form for every command.

extension JSONValue {
    init(integer: some BinaryInteger) { self = .number(JSONNumber(text: String(integer))) }

    init(_ members: (String, JSONValue)...) { self = .object(JSONObject(members.map { JSONMember(name: $0.0, value: $0.1) })) }
}

extension String {
    var json: JSONValue { .string(self) }
}

extension Optional where Wrapped == String {
    var json: JSONValue { map { .string($0) } ?? .null }
}

extension Optional where Wrapped == Date {
    /// RFC 3339 in UTC.
    var json: JSONValue { map { .string($0.rfc3339) } ?? .null }
}

extension Date {
    var rfc3339: String { formatted(.iso8601) }
}

extension ScopeSet {
    var json: JSONValue { .array(names.map { .string($0) }) }
}

extension Claims {
    var json: JSONValue { .object(JSONObject(members)) }
}

extension Account {
    /// The short form inside a token's answer.
    var json: JSONValue {
        JSONValue(
            ("homeAccountId", homeAccountID.json), ("username", username.json), ("environment", environment.json), ("name", name.json),
            ("localAccountId", localAccountID.json))
    }

    /// The long form of a list.
    var listJSON: JSONValue {
        JSONValue(
            ("homeAccountId", homeAccountID.json), ("username", username.json), ("environment", environment.json), ("name", name.json),
            ("localAccountId", localAccountID.json), ("tenantProfiles", .array(tenantProfiles.map(\.json))),
            ("clients", .array(clients.map(\.json))), ("origin", origin.rawValue.json))
    }
}

extension TenantProfile {
    var json: JSONValue {
        JSONValue(
            ("tenantId", tenantID.json), ("localAccountId", localAccountID.json), ("username", username.json), ("name", name.json),
            ("isHomeTenant", .bool(isHome)))
    }
}

extension AccountStanding {
    var word: String {
        switch self {
        case .valid: "valid"
        case .refreshable: "refreshable"
        case .signInNeeded: "sign-in needed"
        }
    }
}

extension CachedCredential {
    func json(reveal: Bool) -> JSONValue {
        var members: [JSONMember] = [
            JSONMember(name: "id", value: id.json), JSONMember(name: "type", value: kind.rawValue.json),
            JSONMember(name: "clientId", value: clientID.json), JSONMember(name: "homeAccountId", value: homeAccountID.json),
            JSONMember(name: "environment", value: environment.json), JSONMember(name: "realm", value: realm.json),
            JSONMember(name: "scopes", value: scopes.json),
            JSONMember(name: "tokenType", value: kind == .accessToken ? tokenType.json : .null),
            JSONMember(name: "cachedAt", value: cachedAt.json), JSONMember(name: "expiresOn", value: expiresOn.json),
            JSONMember(name: "extendedExpiresOn", value: extendedExpiresOn.json), JSONMember(name: "refreshOn", value: refreshOn.json),
            JSONMember(name: "familyId", value: familyID.json),
        ]
        if reveal { members.append(JSONMember(name: "secret", value: secret.reveal().json)) }
        return .object(JSONObject(members))
    }
}

extension AcquiredToken {
    var json: JSONValue {
        JSONValue(
            ("accessToken", accessToken.reveal().json), ("tokenType", tokenType.json), ("expiresOn", expiresOn.rfc3339.json),
            ("extendedExpiresOn", extendedExpiresOn.json), ("scopes", scopes.json), ("tenantId", tenantID.json),
            ("clientId", clientID.json),
            ("authority", authority.address.text.json), ("source", source.rawValue.json), ("idTokenClaims", idTokenClaims.json),
            ("account", account.json), ("correlationId", correlationID.uuidString.lowercased().json),
            (
                "proof",
                proof.map {
                    JSONValue(
                        ("scheme", $0.scheme.rawValue.json), ("keyId", $0.keyID.json), ("authorization", $0.authorization.reveal().json),
                        ("dpop", $0.proof?.reveal().json ?? .null))
                } ?? .null
            ))
    }

    /// What a sign-in prints: everything but the token.
    var signedInJSON: JSONValue {
        JSONValue(
            ("account", account.listJSON), ("scopes", scopes.json), ("expiresOn", expiresOn.rfc3339.json), ("tenantId", tenantID.json),
            ("clientId", clientID.json), ("authority", authority.address.text.json), ("idTokenClaims", idTokenClaims.json),
            ("correlationId", correlationID.uuidString.lowercased().json))
    }
}

/// Lengths of time in words for a person.
enum Span {
    static func words(_ seconds: TimeInterval) -> String {
        let whole = Int(exactly: seconds.rounded(.down)) ?? 0
        switch whole {
        case ..<0: return "over"
        case ..<90: return "\(whole) s"
        case ..<5400: return "\(whole / 60) min"
        case ..<172_800: return "\(whole / 3600) h"
        default: return "\(whole / 86_400) d"
        }
    }
}
