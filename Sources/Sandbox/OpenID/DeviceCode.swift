/// The device authorization grant, RFC 8628.
extension ProviderState {
    mutating func authorizeDevice(_ request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse) -> JSON
    {
        guard request.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "this endpoint takes POST", status: 405)
        }
        let client = try clients.client(of: request, in: issuer)
        guard let text = request.bodyForm["scope"] else { throw .missing("scope") }
        let scopes = try Scopes(text, in: issuer)
        let deviceCode = RandomValue.token()
        // RFC 8628 section 6.1: no vowels, to avoid words. Entra ID's codes are nine letters and digits.
        let letters = RandomValue.letters(8, of: "BCDFGHJKLMNPQRSTVWXZ")
        let userCode =
            issuer.isEntra
            ? RandomValue.letters(9, of: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
            : letters.prefix(4) + "-" + letters.suffix(4)
        devices[deviceCode] = DeviceGrant(
            userCode: userCode, issuer: issuer, clientId: client.clientId, scopes: scopes,
            expiresAt: now + DeviceGrant.lifetime,
            interval: settings.deviceInterval, claims: request.bodyForm["claims"])
        let page =
            issuer.shape == .openID ? "\(issuer.base)/device" : "\(issuer.base)/\(issuer.segment)/oauth2/deviceauth"
        return .members([
            "user_code": .string(userCode), "device_code": .string(deviceCode), "verification_uri": .string(page),
            "verification_uri_complete": issuer.shape != .openID
                ? nil : .string(Form([("user_code", userCode)]).appended(to: page)),
            "expires_in": .int(DeviceGrant.lifetime), "interval": .int(settings.deviceInterval),
            "message": issuer.shape != .openID
                ? .string(
                    """
                    To sign in, use a web browser to open the page \(page) and enter the code \(userCode) to \
                    authenticate.
                    """
                ) : nil,
        ])
    }

    mutating func pollDevice(_ form: Form, in issuer: HostedIssuer, client: HostedClient, with mint: TokenMint)
        throws(OAuthErrorResponse) -> JSON
    {
        // MSAL sends the code under both names.
        guard let deviceCode = form["device_code"] ?? form["code"] else { throw .missing("device_code") }
        guard let device = devices[deviceCode], device.clientId == client.clientId,
            device.issuer.provider == issuer.provider
        else {
            throw DevicePollAnswer.unknown.refusal(entra: issuer.isEntra)
        }
        guard device.expiresAt > now else { throw DevicePollAnswer.expired.refusal(entra: issuer.isEntra) }
        switch device.state {
        case .redeemed: throw DevicePollAnswer.unknown.refusal(entra: issuer.isEntra)
        case .denied: throw DevicePollAnswer.denied.refusal(entra: issuer.isEntra)
        case .pending:
            let moment = clock.preciseNow
            let tooSoon = device.lastPoll.map { moment - $0 < Double(device.interval) - 0.5 } ?? false
            devices[deviceCode]?.lastPoll = moment
            // RFC 8628 section 3.5. Entra ID itself never answers slow_down, so only the plain issuer does.
            if tooSoon, !issuer.isEntra, !has(.neverSlowDown) {
                devices[deviceCode]?.interval += 5
                throw DevicePollAnswer.slowDown.refusal(entra: false)
            }
            throw DevicePollAnswer.pending.refusal(entra: issuer.isEntra)
        case .approved(let username):
            guard let user = people.user(username) else { throw DevicePollAnswer.denied.refusal(entra: issuer.isEntra) }
            devices[deviceCode]?.state = .redeemed
            let grant = Grant(
                issuer: issuer, clientId: client.clientId, user: user, scopes: device.scopes,
                granted: consents.grantable(device.scopes, client: client, user: user, issuer: issuer), nonce: nil,
                authTime: device.approvedAt,
                claims: form["claims"] ?? device.claims, contexts: device.contexts)
            try contextDemands.check(grant)
            return try firstTokens(
                grant, client: client, chain: RandomValue.token(12), offline: device.scopes.offline, form: form,
                with: mint)
        }
    }

    mutating func approve(userCode: String, username: String, scopes: [String]?, deny: Bool) throws(OAuthErrorResponse)
    {
        guard let code = devices.code(for: userCode, at: now), let device = devices[code] else {
            throw OAuthErrorResponse("invalid_request", "no device waits with this code", status: 404)
        }
        if deny {
            devices.deny(code)
            return
        }
        guard let user = people.user(username), device.issuer.admits(user) else {
            throw OAuthErrorResponse("invalid_request", "this user cannot sign in there")
        }
        let entra = device.issuer.isEntra
        let keys = device.scopes.questions(entra: entra).map { Consents.key($0, entra: entra) }
        let given =
            scopes.map { Set($0.flatMap(Scopes.expansion).map { Consents.key($0, entra: entra) }) }
            ?? Set(keys)
        consents.settle(device.clientId, user, asked: keys, given: keys.filter(given.contains))
        // Approval through the control endpoint counts as every proof.
        let proved = contextDemands.wanted(by: device.claims, tenant: device.issuer.tenantId(for: user))
        devices.approve(code, user, contexts: proved, at: now)
    }
}
