/// Sign-in, sign-up and password reset through the forms of a program, at the External ID tenant.
extension ProviderState {
    mutating func native(_ request: SandboxRequest, in issuer: HostedIssuer) throws(OAuthErrorResponse) -> JSON {
        guard request.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "this endpoint takes POST", status: 405)
        }
        guard issuer.customerTenant != nil else {
            throw .native(
                "invalid_request", "Native authentication is for customers; this tenant has employees.", code: 550_022)
        }
        let client = try clients.client(of: request, in: issuer)
        let form = request.bodyForm
        let step = request.segments.suffix(3)
        guard let kind = step.first.flatMap(NativeFlow.Kind.init), let name = step.last else { throw .outOfTurn }
        switch (kind, name) {
        case (.signIn, "initiate"), (.signUp, "start"), (.reset, "start"):
            return try start(kind, form, client: client, in: issuer)
        case (.signIn, "introspect"): return try introspectFactors(form, client: client)
        case (_, "challenge"): return try challenge(kind, form, client: client)
        case (.signUp, "continue"): return try continueSignUp(form, client: client, in: issuer)
        case (.reset, "continue"): return try continueReset(form, client: client)
        case (.reset, "submit"): return try submitPassword(form, client: client)
        case (.reset, "poll_completion"): return try pollReset(form, client: client)
        default: throw OAuthErrorResponse("invalid_request", "there is no such step", status: 404)
        }
    }

    private mutating func start(_ kind: NativeFlow.Kind, _ form: Form, client: HostedClient, in issuer: HostedIssuer)
        throws(OAuthErrorResponse) -> JSON
    {
        guard let username = form["username"]?.lowercased() else { throw .missing("username") }
        _ = try NativeForm.challengeTypes(form)
        if has(.nativeRedirect) { return NativeForm.redirect }
        let known = people.user(username).map(issuer.admits) ?? false
        var flow = NativeFlow(
            kind: kind, clientId: client.clientId, username: username,
            capabilities: Set((form["capabilities"] ?? "").split(separator: " ").map(String.init)), expiresAt: now)
        if kind == .signUp {
            guard people.user(username) == nil else {
                throw .native("user_already_exists", "The account already exists.", code: 1_003_037)
            }
            guard People.isEmail(username) else {
                throw .native("invalid_request", "The username is not an email address.", code: 90100)
            }
            if let password = form["password"] {
                try PasswordRule.check(password, of: username)
                flow.password = password
            }
            flow.attributes = try NativeForm.attributes(form)
        } else if !known {
            throw .native("user_not_found", "The user account does not exist in the directory.", code: 50034)
        }
        return .members(["continuation_token": .string(nativeFlows.keep(flow, at: now))])
    }

    private mutating func challenge(_ kind: NativeFlow.Kind, _ form: Form, client: HostedClient)
        throws(OAuthErrorResponse)
        -> JSON
    {
        var (token, flow) = try nativeFlows.flow(form, kind, client: client, at: now)
        if flow.stage == .secondFactor {
            guard let id = form["id"] else {
                throw .native(
                    "invalid_request", "Ask which methods there are first.", code: 901_001,
                    suberror: "introspect_required")
            }
            guard id == NativeForm.factorId(flow.username) else {
                throw .native("invalid_request", "There is no such method.", code: 90100)
            }
            flow.stage = .secondCode(sendCode(to: flow, "Your second proof"))
            return codeSent(token, flow)
        }
        let types = try NativeForm.challengeTypes(form)
        let withPassword = !has(.nativeCodes) && !people.passwordless.contains(flow.username)
        switch (kind, flow.stage) {
        case (.signIn, .started), (.signIn, .password), (.signIn, .code), (.signUp, .verified):
            let asksPassword = kind == .signUp || withPassword && types.contains("password")
            guard types.contains(asksPassword ? "password" : "oob") else { return NativeForm.redirect }
            guard !asksPassword else {
                if kind == .signIn { flow.stage = .password }
                return .object([JSON.Member(name: "challenge_type", value: "password"), advance(token, flow)])
            }
        case (.signUp, .started), (.signUp, .code), (.reset, .started), (.reset, .code):
            guard types.contains("oob") else { return NativeForm.redirect }
        default: throw .outOfTurn
        }
        flow.stage = .code(sendCode(to: flow, "Your one-time code"))
        return codeSent(token, flow)
    }

    private mutating func sendCode(to flow: NativeFlow, _ subject: String) -> String {
        mailbox.sendCode(to: flow.username, subject: subject, digits: NativeFlow.codeLength, at: now)
    }

    private mutating func advance(_ token: String, _ flow: NativeFlow) -> JSON.Member {
        nativeFlows.advance(token, flow, at: now)
    }

    private mutating func codeSent(_ token: String, _ flow: NativeFlow) -> JSON {
        var answer = JSON.members([
            "challenge_type": "oob", "binding_method": "prompt", "challenge_channel": "email",
            "challenge_target_label": .string(Mail.label(flow.username)), "code_length": .int(NativeFlow.codeLength),
            "interval": 300,
        ])
        let next = advance(token, flow)
        answer[next.name] = next.value
        return answer
    }

    private mutating func introspectFactors(_ form: Form, client: HostedClient) throws(OAuthErrorResponse) -> JSON {
        let (token, flow) = try nativeFlows.flow(form, .signIn, client: client, at: now)
        guard flow.stage == .secondFactor else { throw .outOfTurn }
        let method = JSON.members([
            "id": .string(NativeForm.factorId(flow.username)), "challenge_type": "oob", "challenge_channel": "email",
            "login_hint": .string(Mail.label(flow.username)),
        ])
        return .object([advance(token, flow), JSON.Member(name: "methods", value: .array([method]))])
    }

    // MARK: Signing up

    private mutating func continueSignUp(_ form: Form, client: HostedClient, in issuer: HostedIssuer)
        throws(OAuthErrorResponse) -> JSON
    {
        var (token, flow) = try nativeFlows.flow(form, .signUp, client: client, at: now)
        switch form["grant_type"] {
        case "oob":
            guard let code = form["oob"] else { throw .missing("oob") }
            guard case .code(let sent) = flow.stage else { throw .outOfTurn }
            try nativeFlows.check(code: code, sent: sent, token)
            flow.isVerified = true
            flow.stage = .verified
        case "password", "attributes":
            guard flow.isVerified else {
                throw .native(
                    "verification_required", "The address has to be verified first.", code: 55102,
                    more: [
                        JSON.Member(name: "unverified_attributes", value: .array([.members(["name": "email"])])),
                        advance(token, flow),
                    ])
            }
            guard flow.stage == .verified else { throw .outOfTurn }
            if form["grant_type"] == "password" {
                guard let password = form["password"] else { throw .missing("password") }
                try PasswordRule.check(password, of: flow.username)
                flow.password = password
            } else {
                guard form.has("attributes") else { throw .missing("attributes") }
                flow.attributes.merge(try NativeForm.attributes(form)) { $1 }
            }
        default: throw .native("unsupported_grant_type", "The grant type is not one of a sign-up.", code: 70003)
        }
        let codesOnly = has(.nativeCodes)
        guard flow.password != nil || codesOnly else {
            throw .native("credential_required", "A password is required.", code: 55103, more: [advance(token, flow)])
        }
        let required = has(.nativeAttributes) ? ["displayName", "city"] : []
        let missing = required.filter { flow.attributes[$0] == nil }
        guard missing.isEmpty else {
            let list = missing.map { JSON.members(["name": .string($0), "type": "string", "required": true]) }
            throw .native(
                "attributes_required", "User attributes are required.", code: 55106,
                more: [advance(token, flow), JSON.Member(name: "required_attributes", value: .array(list))])
        }
        guard let tenant = issuer.customerTenant,
            let user = people.enrol(
                flow.username, name: flow.attributes["displayName"] ?? flow.username,
                password: flow.password ?? RandomValue.token(), in: tenant)
        else { throw .native("user_already_exists", "The account already exists.", code: 1_003_037) }
        if flow.password == nil { people.passwordless.insert(user.username) }
        flow.password = nil
        flow.stage = .done
        return .object([advance(token, flow)])
    }

    // MARK: Password reset

    private mutating func continueReset(_ form: Form, client: HostedClient) throws(OAuthErrorResponse) -> JSON {
        var (token, flow) = try nativeFlows.flow(form, .reset, client: client, at: now)
        guard form["grant_type"] == "oob", case .code(let sent) = flow.stage else { throw .outOfTurn }
        guard let code = form["oob"] else { throw .missing("oob") }
        try nativeFlows.check(code: code, sent: sent, token)
        flow.stage = .verified
        return .object([JSON.Member(name: "expires_in", value: .int(NativeFlow.lifetime)), advance(token, flow)])
    }

    private mutating func submitPassword(_ form: Form, client: HostedClient) throws(OAuthErrorResponse) -> JSON {
        var (token, flow) = try nativeFlows.flow(form, .reset, client: client, at: now)
        guard flow.stage == .verified else { throw .outOfTurn }
        guard let password = form["new_password"] else { throw .missing("new_password") }
        if password == people.password(of: flow.username)
            || people.formerPasswords[flow.username, default: []].contains(password)
        {
            throw .passwordRefused("password_recently_used")
        }
        try PasswordRule.check(password, of: flow.username)
        flow.password = password
        flow.stage = .submitted(polls: 0)
        return .object([JSON.Member(name: "poll_interval", value: 1), advance(token, flow)])
    }

    private mutating func pollReset(_ form: Form, client: HostedClient) throws(OAuthErrorResponse) -> JSON {
        var (token, flow) = try nativeFlows.flow(form, .reset, client: client, at: now)
        guard case .submitted(let polls) = flow.stage, let password = flow.password else { throw .outOfTurn }
        if has(.nativeSlowReset), polls < 2 {
            flow.stage = .submitted(polls: polls + 1)
            return .object([
                JSON.Member(name: "status", value: polls == 0 ? "not_started" : "in_progress"), advance(token, flow),
            ])
        }
        let former = people.password(of: flow.username)
        people.formerPasswords[flow.username] = ((people.formerPasswords[flow.username] ?? []) + [former]).suffix(5)
        people.setPassword(password, of: flow.username)
        people.passwordless.remove(flow.username)
        flow.password = nil
        flow.stage = .done
        return .object([
            JSON.Member(name: "status", value: "succeeded"),
            JSON.Member(name: "expires_in", value: .int(NativeFlow.lifetime)),
            advance(token, flow),
        ])
    }

    // MARK: Tokens

    mutating func nativeToken(_ form: Form, in issuer: HostedIssuer, client: HostedClient, with mint: TokenMint)
        throws(OAuthErrorResponse) -> JSON
    {
        var (token, flow) = try nativeFlows.flow(
            form, form["grant_type"] == "continuation_token" ? nil : .signIn, client: client, at: now)
        guard let user = people.user(flow.username), issuer.admits(user) else {
            throw .native("user_not_found", "The user account does not exist in the directory.", code: 50034)
        }
        let scopes = try Scopes(form["scope"] ?? "openid profile offline_access", in: issuer)
        var contexts: Set<String> = []
        switch (form["grant_type"], flow.stage) {
        case ("password", .password):
            guard let password = form["password"] else { throw .missing("password") }
            guard !people.passwordless.contains(flow.username) else {
                throw .native("invalid_grant", "The account has no password.", code: 500_222)
            }
            guard password == people.password(of: flow.username) else {
                nativeFlows.count(wrong: token)
                throw .native(
                    "invalid_grant", "Error validating credentials due to invalid username or password.", code: 50126)
            }
        case ("oob", .code(let sent)):
            guard let code = form["oob"] else { throw .missing("oob") }
            try nativeFlows.check(code: code, sent: sent, token)
        case ("mfa_oob", .secondCode(let sent)):
            guard let code = form["oob"] else { throw .missing("oob") }
            try nativeFlows.check(code: code, sent: sent, token)
            contexts = contextDemands.wanted(by: form["claims"], tenant: issuer.tenantId(for: user))
        case ("continuation_token", .done): break
        default: throw .outOfTurn
        }
        let wanted = contextDemands.wanted(by: form["claims"], tenant: issuer.tenantId(for: user))
        guard wanted.isSubset(of: contexts) else {
            guard flow.capabilities.contains("mfa_required") else {
                nativeFlows.end(token)
                return NativeForm.redirect
            }
            // A completed sign-up or reset continues as a sign-in.
            flow.kind = .signIn
            flow.stage = .secondFactor
            throw .native(
                "invalid_grant", "You must use multi-factor authentication to continue.", code: 50076,
                suberror: "mfa_required",
                more: [advance(token, flow)])
        }
        nativeFlows.end(token)
        let grant = Grant(
            issuer: issuer, clientId: client.clientId, user: user, scopes: scopes,
            granted: consents.grantable(scopes, client: client, user: user, issuer: issuer), nonce: nil, authTime: now,
            claims: form["claims"],
            contexts: contexts)
        return try firstTokens(
            grant, client: client, chain: RandomValue.token(12), offline: scopes.offline, form: form, with: mint)
    }
}
