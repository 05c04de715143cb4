extension ProviderState {
    mutating func answer(_ request: SandboxRequest, base: String) -> SandboxResponse {
        sweep()
        let segments = request.segments
        if segments.first == "_sandbox" { return control(request, Array(segments.dropFirst()), base: base) }
        let cloud = origins.cloud(of: base)
        let fallback = HostedIssuer(shape: .entra(.common), base: base, cloud: cloud)
        let found: (endpoint: Endpoint, issuer: HostedIssuer)?
        do throws(OAuthErrorResponse) {
            found = try Endpoint.find(segments, policy: request.queryForm["p"], base: base, cloud: cloud)
        } catch {
            return error.answer(in: fallback, correlationId: request.correlationId, now: clock.date)
        }
        guard let (endpoint, issuer) = found else { return .json(.members(["error": "not_found"]), status: 404) }
        let names = endpoint.names(request, at: issuer.oauth)
        for name in names { requests.count(name) }
        requests.noteNames(in: request)
        requests.noteMisplaced(request, at: endpoint, in: issuer, clients: clients, tokens: tokens, keys: keys)
        let username = username(of: request)
        let tenant = tenant(of: username, in: issuer)
        let taken = script.take(
            names, user: username, client: Clients.id(of: request), tenant: tenant, clock: clock, log: &requests)
        if let replacement = taken?.answer { return replacement }
        let fault = taken?.fault
        var answer = serve(endpoint, request, in: issuer, fault: fault)
        if issuer.isEntra {
            answer.headers.append(("x-ms-request-id", RandomValue.uuid()))
            if let id = request.correlationId { answer.headers.append(("client-request-id", id)) }
        }
        if endpoint == .token, issuer.shape == .openID, request.headers["dpop"] != nil,
            let proofNonce = proofs.proofNonce
        {
            answer.headers.append(("DPoP-Nonce", proofNonce))
        }
        answer = quirks.applied(to: answer, of: request, at: endpoint, now: now)
        answer = fault?.spoil(answer) ?? answer
        guard issuer.oauth == .github, endpoint == .token || endpoint == .devicecode else { return answer }
        return answer.formEncoded(for: request)
    }

    /// The tenant of a request: from the address, or else the home tenant of its user.
    private func tenant(of username: String?, in issuer: HostedIssuer) -> String? {
        switch issuer.shape {
        case .entra(.tenant(let tenant)): tenant.id
        case .entra: username.flatMap(people.user)?.homeTenant
        case .b2c: Directory.b2cTenant.id
        case .openID: "oidc"
        case .adfs: "adfs"
        case .oauth(let server): server.name
        }
    }

    private mutating func serve(_ endpoint: Endpoint, _ request: SandboxRequest, in issuer: HostedIssuer, fault: Fault?)
        -> SandboxResponse
    {
        var forced = fault?.refusal(entra: issuer.isEntra)
        if issuer.provider == .b2c { forced?.origin = .b2c }
        switch endpoint {
        case .authorize: return authorize(request, in: issuer, forced: forced)
        case .front: return Pages.front(origins.authorities)
        case .mailbox: return Pages.mailbox(mailbox.mails(to: nil), now: now)
        case .devicePage: return devicePage(request)
        case .interaction: return proceed(request.form["transaction"] ?? "", request.form, request: request)
        case .logout:
            return SignOutEndpoint.answer(
                request, in: issuer, clients: clients, keys: keys, browser: &browser, quirks: quirks)
        case .web: return GitHub.web(request)
        case .discovery, .keys, .instance, .token, .devicecode, .userinfo, .revoke, .introspect, .register, .par,
            .native, .resource, .api, .tokeninfo, .registered,
            .tokenV1,
            .devicecodeV1:
            break
        }
        var bend: TokenFault?
        if case .idToken(let kind)? = fault?.kind { bend = kind }
        do throws(OAuthErrorResponse) {
            if let forced { throw forced }
            switch endpoint {
            case .discovery:
                let isOAuth = request.path.hasPrefix("/.well-known/oauth-authorization-server")
                guard
                    let document = quirks.applied(
                        to: DiscoveryDocuments.document(for: issuer), in: issuer, isOAuth: isOAuth)
                else {
                    return .empty(404)
                }
                return .json(document, cacheable: true)
            case .keys: return .json(try keyDocument(in: issuer), cacheable: true)
            case .instance: return .json(try DiscoveryDocuments.instance(request, origins: origins), cacheable: true)
            case .token:
                let answer = try token(request, in: issuer, bent: bend)
                guard issuer.oauth == .slack else { return .json(answer) }
                return .json(Slack.answer(answer, to: request, tokens: tokens, people: people))
            case .devicecode: return .json(try authorizeDevice(request, in: issuer))
            case .tokenV1:
                let answer = try token(try EntraV1.translated(request), in: issuer, bent: bend)
                return .json(EntraV1.tokens(answer, to: request, people: people, now: now))
            case .devicecodeV1:
                return .json(EntraV1.device(try authorizeDevice(try EntraV1.translated(request), in: issuer)))
            case .userinfo:
                if has(.noUserinfo), issuer.oauth != nil { return .empty(404) }
                return UserInfoEndpoint.answer(
                    request, in: issuer, tokens: tokens, people: people, proofs: &proofs, quirks: quirks, now: now)
            case .revoke:
                if has(.noRevocation) { return .empty(404) }
                if has(.revocationRefused) {
                    throw OAuthErrorResponse("invalid_client", "client authentication is required", status: 401)
                }
                if issuer.oauth == .google {
                    return .json(
                        try Google.revoke(request, tokens: &tokens, consents: &consents, people: people))
                }
                return try RevocationEndpoint.answer(
                    request, in: issuer, client: try authenticatedClient(request, in: issuer), tokens: &tokens)
            case .introspect:
                if has(.noIntrospection) { return .empty(404) }
                let client = try authenticatedClient(request, in: issuer)
                return .json(
                    try IntrospectionEndpoint.answer(request, in: issuer, client: client, tokens: tokens, now: now))
            case .register:
                return .json(
                    try RegistrationEndpoint.answer(
                        request, in: issuer, clients: &clients, quirks: quirks, now: now), status: 201)
            case .registered: return RegistrationEndpoint.manage(request, in: issuer, clients: &clients)
            case .api where issuer.oauth == .github:
                return GitHubAPI(clients: clients, people: people, now: now)
                    .answer(request, tokens: &tokens)
            case .api where issuer.oauth == .slack:
                return Slack.api(request, tokens: &tokens, people: people, now: now)
            case .api: return PlainOAuth.resource(request, in: issuer, tokens: tokens, now: now)
            case .tokeninfo: return .json(try Google.tokenInfo(request, tokens: tokens, people: people, now: now))
            case .resource:
                return ProtectedResource.answer(
                    request, in: issuer, tokens: tokens, keys: keys, proofs: &proofs, quirks: quirks, now: now)
            case .native: return .json(try native(request, in: issuer))
            case .par:
                return .json(
                    try pushed.push(request, in: issuer, clients: clients, quirks: quirks, now: now), status: 201)
            case .authorize, .front, .mailbox, .devicePage, .interaction, .logout, .web: return .empty(404)
            }
        } catch {
            let refusal = spelled(error, request, at: endpoint, in: issuer)
            return refusal.answer(in: issuer, correlationId: request.correlationId, now: clock.date)
        }
    }

    /// An error in the server's own words.
    private func spelled(
        _ refusal: OAuthErrorResponse, _ request: SandboxRequest, at endpoint: Endpoint, in issuer: HostedIssuer
    ) -> OAuthErrorResponse {
        let grant = request.bodyForm["grant_type"]
        return switch issuer.oauth {
        case .github: GitHub.refusal(refusal, at: endpoint, grant: grant)
        case .google: Google.refusal(refusal)
        case .slack: Slack.refusal(refusal, grant: grant)
        case .plain, nil: refusal
        }
    }

    private func authenticatedClient(_ request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse)
        -> HostedClient
    {
        let client = try clients.client(of: request, in: issuer)
        try ClientAuthentication(request).check(client)
        return client
    }

    private mutating func keyDocument(in issuer: HostedIssuer) throws(OAuthErrorResponse) -> JSON {
        do { return try keys.keys(of: issuer.cloud).document } catch {
            throw OAuthErrorResponse("server_error", "no key could be made", status: 500)
        }
    }

    private func username(of request: SandboxRequest) -> String? {
        let form = request.form
        if let hint = form["login_hint"] ?? form["username"] { return hint.lowercased() }
        if let secret = form["refresh_token"] ?? form["token"], let token = tokens.refresh[secret] {
            return token.username
        }
        if let secret = form["device_code"] ?? form["code"], case .approved(let username)? = devices[secret]?.state {
            return username
        }
        if let secret = form["code"], let code = tokens.codes[secret] { return code.username }
        return nil
    }
}
