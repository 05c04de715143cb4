/// The device authorization grant, RFC 8628.
extension ProviderState {
    mutating func authorizeDevice(_ request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse) -> JSON
    {
        guard request.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "this endpoint takes POST", status: 405)
        }
        let client = try clients.client(of: request, in: issuer)
        guard let text = request.bodyForm["scope"] ?? issuer.oauth.map({ _ in "" }) else { throw .missing("scope") }
        var scopes = try Scopes(text, in: issuer)
        if client.ignoresScopes { scopes.asked = [] }
        if issuer.isStandard { try ClientAuthentication(request).check(client) }
        try issuer.oauth?.checkDeviceFlow(client, scopes.asked)
        let deviceCode = issuer.oauth == .github ? RandomValue.letters(40, of: "0123456789abcdef") : RandomValue.token()
        // RFC 8628 section 6.1: no vowels, to avoid words. Entra ID's codes are nine letters and digits.
        let letters = RandomValue.letters(8, of: "BCDFGHJKLMNPQRSTVWXZ")
        let userCode =
            issuer.isEntra
            ? RandomValue.letters(9, of: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
            : letters.prefix(4) + "-" + letters.suffix(4)
        devices[deviceCode] = DeviceGrant(
            userCode: userCode, issuer: issuer, clientId: client.clientId, scopes: scopes,
            expiresAt: now + DeviceGrant.lifetime,
            interval: settings.deviceInterval, claims: request.bodyForm["claims"],
            resources: try ResourceIndicators.requested(request.bodyForm, in: issuer, quirks: quirks))
        let page = issuer.devicePage
        let isGoogle = issuer.oauth == .google
        return .members([
            "user_code": .string(userCode), "device_code": .string(deviceCode),
            "verification_uri": isGoogle ? nil : .string(page), "verification_url": isGoogle ? .string(page) : nil,
            "verification_uri_complete": !issuer.isStandard
                ? nil : .string(Form([("user_code", userCode)]).appended(to: page)),
            "expires_in": .int(DeviceGrant.lifetime), "interval": .int(settings.deviceInterval),
            "message": !issuer.isStandard && issuer.oauth == nil
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
        if has(.slowDownOnce), !issuer.isEntra {
            devices[deviceCode]?.polls += 1
            if device.polls < 2 { throw DevicePollAnswer.pending.refusal(entra: false) }
            if device.polls == 2 { throw slowDown(deviceCode, in: issuer) }
        }
        switch device.state {
        case .redeemed: throw DevicePollAnswer.unknown.refusal(entra: issuer.isEntra)
        case .denied: throw DevicePollAnswer.denied.refusal(entra: issuer.isEntra)
        case .pending:
            let moment = clock.preciseNow
            let tooSoon = device.lastPoll.map { moment - $0 < Double(device.interval) - 0.5 } ?? false
            devices[deviceCode]?.lastPoll = moment
            // RFC 8628 section 3.5. Entra ID itself never answers slow_down, so only the plain issuer does.
            if tooSoon, !issuer.isEntra, !has(.neverSlowDown) {
                throw slowDown(deviceCode, in: issuer)
            }
            throw DevicePollAnswer.pending.refusal(entra: issuer.isEntra)
        case .approved(let username):
            guard let user = people.user(username) else { throw DevicePollAnswer.denied.refusal(entra: issuer.isEntra) }
            devices[deviceCode]?.state = .redeemed
            let grant = Grant(
                issuer: issuer, clientId: client.clientId, user: user, scopes: device.scopes,
                granted: consents.grantable(device.scopes, client: client, user: user, issuer: issuer), nonce: nil,
                authTime: device.approvedAt,
                claims: form["claims"] ?? device.claims, contexts: device.contexts, resources: device.resources,
                isFromDevice: true)
            try contextDemands.check(grant)
            return try firstTokens(
                grant, client: client, chain: RandomValue.token(12),
                offline: device.scopes.offline || issuer.oauth != nil, form: form, with: mint)
        }
    }

    /// GitHub also returns the new interval.
    private mutating func slowDown(_ deviceCode: String, in issuer: HostedIssuer) -> OAuthErrorResponse {
        devices[deviceCode]?.interval += 5
        var refusal = DevicePollAnswer.slowDown.refusal(entra: false)
        if issuer.oauth == .github, let interval = devices[deviceCode]?.interval {
            refusal.more = [JSON.Member(name: "interval", value: .int(interval))]
        }
        return refusal
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
