package import CommandSupport
package import FoundationEssentials
import Identity
import StrictJSON

/// A broker call. Unknown members are ignored, as callers send many.
package struct BrokerRequest: Hashable, Sendable {
    package var method: BrokerInterface.Method
    package var correlationID: UUID
    /// Only claims beyond the client's capabilities; a refresh if the caller sent a token to renew.
    package var options = TokenOptions()
    package var homeAccountID: String?
    package var username: String?
    /// Whether the caller requests a key-bound token.
    package var wantsProof = false

    /// Bytes; the request may contain a token to renew.
    package static let longest = 262_144
    private static let longestText = 16_384
    private static let mostScopes = 256

    package init(_ method: BrokerInterface.Method, correlationID: String, json: String) throws(BrokerRefusal) {
        self.method = method
        self.correlationID = UUID(uuidString: correlationID) ?? UUID()
        let limits = JSONLimits(maximumBytes: Self.longest, maximumDepth: 16)
        guard let value = try? JSONValue(parsing: Array(json.utf8), limits: limits), let top = value.object else {
            throw BrokerRefusal(.apiContractViolation, "foyer: the request is not a JSON object")
        }
        let parameters = top["authParameters"]?.object ?? top
        func text(_ name: String, in object: JSONObject) throws(BrokerRefusal) -> String? {
            guard let text = object[name]?.string, !text.isEmpty else { return nil }
            guard text.utf8.count <= Self.longestText, !text.utf8.contains(0) else {
                throw BrokerRefusal(.apiContractViolation, "foyer: \(name) is too long")
            }
            return text
        }
        let named = try text("clientId", in: parameters)
        options.clientID = if let named { named } else { try text("clientId", in: top) }
        options.authority = try text("authority", in: parameters)
        username = try text("username", in: parameters)
        // Browsers send the account next to the parameters instead of among them.
        if let account = (parameters["account"] ?? top["account"])?.object {
            homeAccountID = try text("homeAccountId", in: account)
            if username == nil { username = try text("username", in: account) }
        }
        let scopes = parameters["requestedScopes"]?.array ?? []
        guard scopes.count <= Self.mostScopes else {
            throw BrokerRefusal(.apiContractViolation, "foyer: too many scopes")
        }
        for scope in scopes.compactMap(\.string).flatMap({ $0.split(separator: " ") }) {
            guard ScopeSet.isScope(String(scope)) else {
                throw BrokerRefusal(.apiContractViolation, "foyer: invalid scope")
            }
            options.scopes.append(String(scope))
        }
        options.prompt = parameters["prompt"]?.string.flatMap(Prompt.init(rawValue:))
        options.claims = try Self.challenge(in: text("decodedClaims", in: parameters))
        options.forceRefresh = parameters["accessTokenToRenew"]?.string?.isEmpty == false
        options.account = homeAccountID ?? username
        options.silent = true
        options.neverAsks = true
        wantsProof = Self.isFilled(parameters["popParams"])
        try check()
    }

    /// - Parameter configured: the client's authority in the settings.
    /// - Returns: the caller's authority, with the configured origin if it has the configured host and no port.
    package static func authority(_ named: String, configured: String) -> String {
        guard let caller = try? WebAddress(named), let own = try? WebAddress(configured), caller.port == nil,
            caller.host == own.host
        else { return named }
        return own.origin + caller.path
    }

    private func check() throws(BrokerRefusal) {
        guard method.needsClient else { return }
        let clientID = options.clientID ?? ""
        guard (1...200).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw BrokerRefusal(.apiContractViolation, "foyer: no client in the request")
        }
    }

    /// MSAL sends the client's capabilities with each request; only further claims rule out the cached token.
    private static func challenge(in claims: String?) throws(BrokerRefusal) -> String? {
        guard let claims else { return nil }
        guard let value = try? JSONValue(parsing: Array(claims.utf8)), let object = value.object else {
            throw BrokerRefusal(.apiContractViolation, "foyer: the claims request is not a JSON object")
        }
        let isMore = object.members.contains { member in
            guard member.name == "access_token", let wanted = member.value.object else { return true }
            return wanted.members.contains { $0.name != "xms_cc" }
        }
        return isMore ? claims : nil
    }

    private static func isFilled(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null, .bool(false): false
        case .string(let text): !text.isEmpty
        case .array(let list): !list.isEmpty
        case .object(let object): object.members.contains { isFilled($0.value) }
        case .bool(true), .number: true
        }
    }
}

extension BrokerInterface.Method {
    fileprivate var needsClient: Bool {
        switch self {
        case .acquireTokenSilently, .acquireTokenInteractively, .getAccounts, .removeAccount: true
        case .acquirePrtSsoCookie, .generateSignedHttpRequest, .cancelInteractiveFlow, .getLinuxBrokerVersion: false
        }
    }
}
