/// RFC 8628: a code shown on one device, typed in on another.
struct DeviceGrant: Sendable {
    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// Entra's lifetime of a user code, in seconds.
    static let lifetime = 900

    enum State: Sendable, Equatable { case pending, approved(String), denied, redeemed }

    var userCode: String
    var realm: HostedIssuer
    var clientId: String
    var scopes: Scopes
    var expiresAt: Int
    var interval: Int
    var claims: String?
    var contexts: Set<String> = []
    var lastPoll: Double?
    var state = State.pending
    var approvedAt = 0

    /// RFC 8628 section 6.1: dashes, spaces and case are the reader's, not the code's.
    static func normal(_ userCode: String) -> String {
        String(userCode.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }
}

extension ProviderState {
    mutating func authorizeDevice(_ inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> JSON
    {
        guard inquiry.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "this endpoint takes POST", status: 405)
        }
        let client = try client(of: inquiry, in: realm)
        guard let text = inquiry.bodyForm["scope"] else { throw .missing("scope") }
        let scopes = try readScopes(text, in: realm)
        let deviceCode = RandomValue.token()
        // RFC 8628 section 6.1: no vowels, so that no words come out. Entra's codes are nine letters and digits.
        let letters = RandomValue.letters(8, of: "BCDFGHJKLMNPQRSTVWXZ")
        let userCode =
            realm.isEntra
            ? RandomValue.letters(9, of: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
            : letters.prefix(4) + "-" + letters.suffix(4)
        devices[deviceCode] = DeviceGrant(
            userCode: userCode, realm: realm, clientId: client.clientId, scopes: scopes,
            expiresAt: now + DeviceGrant.lifetime,
            interval: deviceInterval, claims: inquiry.bodyForm["claims"])
        let page = realm.shape == .openID ? "\(realm.base)/device" : "\(realm.base)/\(realm.segment)/oauth2/deviceauth"
        return .members([
            "user_code": .string(userCode), "device_code": .string(deviceCode), "verification_uri": .string(page),
            "verification_uri_complete": realm.shape != .openID
                ? nil : .string(Form([("user_code", userCode)]).appended(to: page)),
            "expires_in": .int(DeviceGrant.lifetime), "interval": .int(deviceInterval),
            "message": realm.shape != .openID
                ? .string(
                    """
                    To sign in, use a web browser to open the page \(page) and enter the code \(userCode) to \
                    authenticate.
                    """
                ) : nil,
        ])
    }

    mutating func pollDevice(_ form: Form, in realm: HostedIssuer, client: Client, bent by: TokenBend?)
        throws(OAuthErrorResponse) -> JSON
    {
        // MSAL sends the code under both names.
        guard let deviceCode = form["device_code"] ?? form["code"] else { throw .missing("device_code") }
        guard let device = devices[deviceCode], device.clientId == client.clientId,
            device.realm.provider == realm.provider
        else {
            throw DevicePoll.unknown.refusal(entra: realm.isEntra)
        }
        guard device.expiresAt > now else { throw DevicePoll.expired.refusal(entra: realm.isEntra) }
        switch device.state {
        case .redeemed: throw DevicePoll.unknown.refusal(entra: realm.isEntra)
        case .denied: throw DevicePoll.denied.refusal(entra: realm.isEntra)
        case .pending:
            let tooSoon = device.lastPoll.map { preciseNow - $0 < Double(device.interval) - 0.5 } ?? false
            let moment = preciseNow
            devices[deviceCode]?.lastPoll = moment
            // RFC 8628 section 3.5; Entra itself never answers slow_down, so only the plain issuer minds.
            if tooSoon, !realm.isEntra, !has(.neverSlowDown) {
                devices[deviceCode]?.interval += 5
                throw DevicePoll.slowDown.refusal(entra: false)
            }
            throw DevicePoll.pending.refusal(entra: realm.isEntra)
        case .approved(let username):
            guard let user = user(username) else { throw DevicePoll.denied.refusal(entra: realm.isEntra) }
            devices[deviceCode]?.state = .redeemed
            let grant = Grant(
                realm: realm, clientId: client.clientId, user: user, scopes: device.scopes,
                granted: grantable(device.scopes, client: client, user: user, realm: realm), nonce: nil,
                authTime: device.approvedAt,
                claims: form["claims"] ?? device.claims, contexts: device.contexts)
            try checkContexts(grant)
            return try firstTokens(
                grant, client: client, chain: RandomValue.token(12), offline: device.scopes.offline, form: form,
                bent: by)
        }
    }

    /// The device code that belongs to what a person typed.
    func deviceCode(for userCode: String) -> String? {
        let wanted = DeviceGrant.normal(userCode)
        return devices.first {
            DeviceGrant.normal($0.value.userCode) == wanted && $0.value.state == .pending && $0.value.expiresAt > now
        }?
        .key
    }

    mutating func approveDevice(_ deviceCode: String, _ user: User) {
        let moment = now
        devices[deviceCode]?.state = .approved(user.username)
        devices[deviceCode]?.approvedAt = moment
    }

    mutating func approve(userCode: String, username: String, scopes: [String]?, deny: Bool) throws(OAuthErrorResponse)
    {
        guard let code = deviceCode(for: userCode), let device = devices[code] else {
            throw OAuthErrorResponse("invalid_request", "no device waits with this code", status: 404)
        }
        if deny {
            devices[code]?.state = .denied
            return
        }
        guard let user = user(username), device.realm.admits(user) else {
            throw OAuthErrorResponse("invalid_request", "this user cannot sign in there")
        }
        let entra = device.realm.isEntra
        let keys = device.scopes.questions(entra: entra).map { ProviderState.consentKey($0, entra: entra) }
        let given =
            scopes.map { Set($0.flatMap(Scopes.expansion).map { ProviderState.consentKey($0, entra: entra) }) }
            ?? Set(keys)
        settleConsent(device.clientId, user, asked: keys, given: keys.filter(given.contains))
        // Whoever approves from outside has given every proof.
        let proved = contextsWanted(by: device.claims, tenant: device.realm.tenantId(for: user))
        devices[code]?.contexts = proved
        approveDevice(code, user)
    }
}

/// What a poll can be told, in the words of RFC 8628 and in Entra's.
enum DevicePoll: String, Sendable {
    case pending
    case slowDown = "slow_down"
    case expired, denied, unknown

    func refusal(entra: Bool) -> OAuthErrorResponse {
        switch self {
        case .pending:
            OAuthErrorResponse(
                "authorization_pending", "OAuth 2.0 device flow error. Authorization is pending. Continue polling.",
                code: entra ? 70016 : 0
            )
        case .slowDown: OAuthErrorResponse("slow_down", "Polling too fast. Wait five seconds longer between requests.")
        case .expired:
            OAuthErrorResponse(
                "expired_token", "The verification code expired before the sign-in was completed.",
                code: entra ? 70019 : 0)
        case .denied:
            OAuthErrorResponse(
                entra ? "authorization_declined" : "access_denied", "The person declined the sign-in.",
                code: entra ? 65004 : 0)
        case .unknown:
            entra
                ? OAuthErrorResponse("bad_verification_code", "The device code is not valid.", code: 70018)
                : OAuthErrorResponse("invalid_grant", "the device code is not valid")
        }
    }
}
