package import FoundationEssentials
package import Identity
package import StrictJSON
package import TokenCache

// Accounts, credentials and tokens as JSON, in one form for all commands.

extension JSONValue {
    package init(integer: some BinaryInteger) { self = .number(JSONNumber(text: String(integer))) }

    package init(_ members: (String, JSONValue)...) { self.init(members) }

    package init(_ members: [(String, JSONValue)]) {
        self = .object(JSONObject(members.map { JSONMember(name: $0.0, value: $0.1) }))
    }
}

extension String {
    package var json: JSONValue { .string(self) }
}

extension Optional where Wrapped == String {
    package var json: JSONValue { map { .string($0) } ?? .null }
}

extension Optional where Wrapped == Date {
    /// RFC 3339 in UTC.
    package var json: JSONValue { map { .string($0.rfc3339) } ?? .null }
}

extension Date {
    package var rfc3339: String { formatted(.iso8601) }
}

extension ScopeSet {
    package var json: JSONValue { .array(names.map { .string($0) }) }
}

extension Claims {
    package var json: JSONValue { .object(JSONObject(members)) }
}

extension Account {
    /// The short form in a token result.
    package var json: JSONValue {
        JSONValue(
            ("homeAccountId", identifier.json), ("username", username.json), ("environment", environment.json),
            ("issuer", issuer.json), ("name", name.json), ("localAccountId", localAccountID.json))
    }

    /// The long form in lists.
    package var listJSON: JSONValue {
        JSONValue(
            ("homeAccountId", identifier.json), ("username", username.json), ("environment", environment.json),
            ("issuer", issuer.json), ("name", name.json), ("localAccountId", localAccountID.json),
            ("tenantProfiles", .array(tenantProfiles.map(\.json))), ("clients", .array(clients.map(\.json))),
            ("origin", origin.rawValue.json))
    }
}

extension TenantProfile {
    package var json: JSONValue {
        JSONValue(
            ("tenantId", tenantID.json), ("localAccountId", localAccountID.json), ("username", username.json),
            ("name", name.json),
            ("isHomeTenant", .bool(isHome)))
    }
}

extension CachedCredential.Kind {
    package var word: String {
        switch self {
        case .accessToken: "access"
        case .refreshToken: "refresh"
        case .idToken: "ID"
        }
    }
}

extension CachedCredential {
    package func json(reveal: Bool) -> JSONValue { .object(JSONObject(members(reveal: reveal))) }

    package func members(reveal: Bool) -> [JSONMember] {
        var members: [JSONMember] = [
            JSONMember(name: "id", value: id.json), JSONMember(name: "type", value: kind.rawValue.json),
            JSONMember(name: "clientId", value: clientID.json),
            JSONMember(name: "homeAccountId", value: homeAccountID.json),
            JSONMember(name: "environment", value: environment.json), JSONMember(name: "issuer", value: issuer.json),
            JSONMember(name: "realm", value: realm.json), JSONMember(name: "scopes", value: scopes.json),
            JSONMember(name: "tokenType", value: kind == .accessToken ? tokenType.json : .null),
            JSONMember(name: "cachedAt", value: cachedAt.json),
            JSONMember(name: "expiresOn", value: expiresOn.flatMap(\.announced).json),
            JSONMember(name: "extendedExpiresOn", value: extendedExpiresOn.json),
            JSONMember(name: "refreshOn", value: refreshOn.json), JSONMember(name: "familyId", value: familyID.json),
        ]
        if reveal { members.append(JSONMember(name: "secret", value: secret.reveal().json)) }
        return members
    }
}

extension DamagedEntry {
    package var json: JSONValue {
        JSONValue(
            ("id", key.json), ("type", kind.rawValue.json), ("clientId", clientID.json),
            ("homeAccountId", homeAccountID.json), ("why", why.json), ("canGo", .bool(canGo)))
    }

    package var words: String { "\(kind.word) token \(key): \(why)" }
}

extension HeldCredential {
    package func json(reveal: Bool, clientName: String, at now: Date) -> JSONValue {
        let notes: [(String, JSONValue)] = [
            ("clientName", clientName.json),
            ("age", age(at: now).flatMap { Int(exactly: $0.rounded(.down)) }.map { JSONValue(integer: $0) } ?? .null),
            ("isExpired", .bool(findings.contains(.expired))),
            ("hasAccount", .bool(!findings.contains(.accountMissing) && !findings.contains(.accountRecoverable))),
            ("duplicateOf", duplicateOf.json), ("coveredBy", coveredBy.json),
        ]
        return .object(
            JSONObject(credential.members(reveal: reveal) + notes.map { JSONMember(name: $0.0, value: $0.1) }))
    }

    /// The findings as text, except "expired", which is shown separately.
    package var notes: String {
        findings.compactMap { if case .expired = $0 { nil } else { $0.words } }.joined(separator: ", ")
    }
}

extension HeldCredential.Finding {
    package var words: String {
        switch self {
        case .expired: "expired"
        case .duplicate: "duplicate"
        case .covered: "another has its scopes"
        case .accountMissing: "no account"
        case .accountRecoverable: "account entry missing"
        }
    }
}

extension AcquiredToken {
    package var json: JSONValue {
        var members = [
            JSONMember(name: "accessToken", value: accessToken.reveal().json),
            JSONMember(name: "tokenType", value: tokenType.json),
            JSONMember(name: "expiresOn", value: expiresOn.announced.json),
            JSONMember(name: "extendedExpiresOn", value: extendedExpiresOn.json),
            JSONMember(name: "scopes", value: scopes.json), JSONMember(name: "tenantId", value: tenantID.json),
            JSONMember(name: "clientId", value: clientID.json),
            JSONMember(name: "authority", value: authority.address.text.json),
            JSONMember(name: "source", value: source.rawValue.json),
            JSONMember(name: "idTokenClaims", value: idTokenClaims.claims.json),
            JSONMember(name: "account", value: account.json),
            JSONMember(name: "correlationId", value: correlationID.uuidString.lowercased().json),
        ]
        if let proof {
            members.append(
                JSONMember(
                    name: "proof",
                    value: JSONValue(
                        ("scheme", proof.scheme.rawValue.json), ("keyId", proof.keyID.json),
                        ("authorization", proof.authorization.reveal().json),
                        ("dpop", proof.proof?.reveal().json ?? .null))))
        }
        return .object(JSONObject(members))
    }

    /// The result of `foyer sign-in`: everything except the token.
    package var signedInJSON: JSONValue {
        JSONValue(
            ("account", account.listJSON), ("scopes", scopes.json), ("expiresOn", expiresOn.announced.json),
            ("tenantId", tenantID.json), ("clientId", clientID.json), ("authority", authority.address.text.json),
            ("idTokenClaims", idTokenClaims.claims.json), ("correlationId", correlationID.uuidString.lowercased().json))
    }
}
