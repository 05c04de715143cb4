// The saved form of accounts and requests: objects whose keys never change. A value that is not valid, such as an
// unknown kind or a scope with a quote, is an error; an unknown key is ignored, and a missing one means the default of
// the initializer. Here and not in Identity, which is linked into a program that saves none of them.

public import Identity

extension KeyedDecodingContainer {
    func value<Value: Decodable>(_ key: Key, or fallback: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? fallback
    }

    func invalid(_ key: Key, _ problem: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: problem)
    }
}

extension Account.Origin: Codable {}
extension Authority.Kind: Codable {}
extension SignInMethod: Codable {}
extension Prompt: Codable {}
extension ResponseMode: Codable {}

extension ScopeSet: Codable {
    /// An array of names. An invalid or repeated one is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let given = try container.decode([String].self)
        self.init(given)
        guard names == given else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an invalid or repeated scope")
        }
    }

    /// An array of names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }
}

extension Authority: Codable {
    private enum Key: String, CodingKey { case url, kind }

    /// The keys `url` and `kind`, checked as by ``/Identity/Authority/init(_:kind:)``.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let url = try values.decode(String.self, forKey: .url)
        let kind = try values.decodeIfPresent(Kind.self, forKey: .kind)
        do { try self.init(url, kind: kind) } catch { throw values.invalid(.url, error.description) }
    }

    /// The keys `url` and `kind`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(address.text, forKey: .url)
        try values.encode(kind, forKey: .kind)
    }
}

extension Account: Codable {
    private enum Key: String, CodingKey {
        case homeAccountID = "homeAccountId"
        case environment, issuer, username, name, tenantProfiles, clients, origin
    }

    /// Needs the keys `homeAccountId` and `environment`, which find its tokens. Claims are not read.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            homeAccountID: try values.decode(String.self, forKey: .homeAccountID),
            environment: try values.decode(String.self, forKey: .environment),
            username: try values.value(.username, or: ""),
            name: try values.decodeIfPresent(String.self, forKey: .name),
            tenantProfiles: try values.value(.tenantProfiles, or: []), clients: try values.value(.clients, or: []),
            origin: try values.value(.origin, or: .msal),
            issuer: try values.decodeIfPresent(String.self, forKey: .issuer))
    }

    /// The keys `homeAccountId`, `environment`, `issuer`, `username`, `name`, `tenantProfiles`, `clients` and `origin`;
    /// no claims and no secret.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(homeAccountID, forKey: .homeAccountID)
        try values.encode(environment, forKey: .environment)
        try values.encodeIfPresent(issuer, forKey: .issuer)
        try values.encode(username, forKey: .username)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encode(tenantProfiles, forKey: .tenantProfiles)
        try values.encode(clients, forKey: .clients)
        try values.encode(origin, forKey: .origin)
    }
}

extension TenantProfile: Codable {
    private enum Key: String, CodingKey {
        case tenantID = "tenantId"
        case localAccountID = "localAccountId"
        case username, name, isHome
    }

    /// Needs all keys but `username` and `name`. Claims are not read.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            tenantID: try values.decode(String.self, forKey: .tenantID),
            localAccountID: try values.decode(String.self, forKey: .localAccountID),
            username: try values.value(.username, or: ""),
            name: try values.decodeIfPresent(String.self, forKey: .name),
            isHome: try values.decode(Bool.self, forKey: .isHome))
    }

    /// The keys `tenantId`, `localAccountId`, `username`, `name` and `isHome`; no claims.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(tenantID, forKey: .tenantID)
        try values.encode(localAccountID, forKey: .localAccountID)
        try values.encode(username, forKey: .username)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encode(isHome, forKey: .isHome)
    }
}
