extension ProviderState {
    mutating func proceed(_ id: String, _ form: Form, request: SandboxRequest) -> SandboxResponse {
        guard var transaction = browser.transactions[id], transaction.startedAt + 3600 > now,
            let client = clients[transaction.clientId]
        else {
            return Pages.failure(
                OAuthErrorResponse(
                    "invalid_request", "This sign-in has ended or never started. Start again from the application."))
        }
        if form.has("cancel") { return decline(id, transaction) }
        if transaction.issuer.policy != nil, form.has("forgot") { return decline(id, transaction, .forgotPassword) }
        var cookie: String?
        if transaction.username == nil {
            switch signIn(id, form, transaction: transaction, client: client, request: request) {
            case .page(let page): return page
            case .user(let session, let newCookie):
                transaction.username = session.username
                transaction.authTime = session.authTime
                cookie = newCookie
            }
        }
        guard let user = transaction.username.flatMap(people.user), transaction.admits(user, atAnyCloud: origins) else {
            let stranger = OAuthErrorResponse.stranger(transaction.username ?? "", at: transaction.issuer.segment)
            transaction.username = nil
            browser.transactions[id] = transaction
            return transaction.signInPage(
                id, client: client, hint: nil, problem: "AADSTS50020: " + stranger.description)
        }
        browser.transactions[id] = transaction
        if let page = verificationPage(id, &transaction, form, user: user, client: client)
            ?? (transaction.agreesToAll
                ? nil : transaction.profilePage(id, form, user: user, client: client, people: &people))
        {
            return cookie.map { BrowserSessions.setting(cookie: $0, on: page, base: transaction.issuer.base) } ?? page
        }
        let answer = agree(id, transaction, form, user: user, client: client)
        return cookie.map { BrowserSessions.setting(cookie: $0, on: answer, base: transaction.issuer.base) } ?? answer
    }

    private mutating func signIn(
        _ id: String, _ form: Form, transaction: Transaction, client: HostedClient, request: SandboxRequest
    ) -> Transaction.SignInStep {
        // If the session is too old for the request, or the request requires the password, there is nothing to choose.
        let remembered =
            transaction.prompt.isDisjoint(with: ["login", "create"])
            ? browser.remembered(request, in: transaction.issuer, people: people).filter {
                transaction.isYoungEnough($0, at: now)
            } : []
        if let chosen = form["account"]?.lowercased(), let session = remembered.first(where: { $0.username == chosen })
        {
            return .user(session, cookie: nil)
        }
        if let step = transaction.signUpOrReset(id, form, client: client, people: &people, now: now) {
            switch step {
            case .page: return step
            case .user(let session, _): return .user(session, cookie: browser.remember(session, request))
            }
        }
        if let username = form["username"], form.has("password") {
            guard let user = people.user(typed: username, in: transaction.issuer),
                form["password"] == people.password(of: user.username)
            else {
                return .page(
                    transaction.signInPage(
                        id, client: client, hint: username,
                        problem:
                            """
                            AADSTS50126: this user name and password do not go together. Every password here is \
                            \"sandbox\".
                            """
                    ))
            }
            let session = BrowserSession(username: user.username, authTime: now)
            return .user(session, cookie: browser.remember(session, request))
        }
        let hint = form["username"] ?? transaction.loginHint
        if !remembered.isEmpty, !form.has("another"), form["username"] == nil {
            return .page(Pages.chooseAccount(id, client: client, accounts: remembered.map(\.username)))
        }
        return .page(transaction.signInPage(id, client: client, hint: hint, problem: nil))
    }

    /// Consent to the open permissions, or to all if `prompt=consent`.
    private mutating func agree(
        _ id: String, _ transaction: Transaction, _ form: Form, user: User, client: HostedClient
    )
        -> SandboxResponse
    {
        var transaction = transaction
        let entra = transaction.issuer.isEntra
        let open = consents.openQuestions(transaction.scopes, client: client, user: user, issuer: transaction.issuer)
        let forbidden = open.filter { user.adminOnly.contains(Scopes.split($0).name.lowercased()) }
        guard forbidden.isEmpty else {
            return Pages.needsAdministrator(id, client: client, user: user, scopes: forbidden)
        }
        let questions =
            transaction.prompt.contains("consent") && transaction.issuer.asksConsent
            ? transaction.scopes.questions(entra: entra) : open
        if !questions.isEmpty {
            let keys = questions.map { Consents.key($0, entra: entra) }
            if transaction.agreesToAll {
                consents.settle(client.clientId, user, asked: keys, given: keys)
            } else if form["consent"] == "accept" {
                // A form with checkboxes that returns none of them declines all; a single POST without any accepts all.
                let ticked = form.all("scope").flatMap { $0.split(separator: " ").map(String.init) }
                    .map { Consents.key($0, entra: entra) }
                let given = ticked.isEmpty && form["boxes"] == nil ? keys : keys.filter(ticked.contains)
                guard !given.isEmpty else { return decline(id, transaction) }
                consents.settle(client.clientId, user, asked: keys, given: given)
            } else {
                return Pages.consent(id, client: client, user: user, scopes: questions)
            }
        }
        transaction.isNewConsent = !questions.isEmpty
        browser.transactions[id] = nil
        switch transaction.purpose {
        case .authorize(let authorization): return redirectWithCode(user, authorization, transaction: transaction)
        case .device(let code):
            devices.approve(code, user, contexts: transaction.contexts, at: now)
            return Pages.done(client: client, user: user)
        }
    }

    private mutating func decline(_ id: String, _ transaction: Transaction, _ why: OAuthErrorResponse? = nil)
        -> SandboxResponse
    {
        browser.transactions[id] = nil
        switch transaction.purpose {
        case .authorize(let authorization):
            let declined = OAuthErrorResponse(
                "access_denied", "User declined to consent to access the app.", code: 65004)
            let refusal = why ?? (transaction.issuer.policy == nil ? declined : .cancelledAtB2C)
            return redirect(refusal, to: authorization, in: transaction.issuer)
        case .device(let code):
            devices.deny(code)
            return Pages.declined()
        }
    }

    /// The page for a second proof; nil if it is unnecessary or was just given.
    private mutating func verificationPage(
        _ id: String, _ transaction: inout Transaction, _ form: Form, user: User, client: HostedClient
    ) -> SandboxResponse? {
        let issuer = transaction.issuer
        guard issuer.isEntra else { return nil }
        let wanted = contextDemands.wanted(
            by: transaction.claims ?? deviceClaims(transaction), tenant: issuer.tenantId(for: user))
        guard !wanted.isSubset(of: transaction.contexts) else { return nil }
        guard transaction.agreesToAll || form["verify"] == "1" else {
            return Pages.verify(id, client: client, user: user)
        }
        transaction.contexts.formUnion(wanted)
        browser.transactions[id] = transaction
        return nil
    }

    private func deviceClaims(_ transaction: Transaction) -> String? {
        if case .device(let code) = transaction.purpose { devices[code]?.claims } else { nil }
    }

    // MARK: The device page

    mutating func devicePage(_ request: SandboxRequest) -> SandboxResponse {
        let form = request.form
        guard let typed = form["user_code"] ?? form["code"] ?? form["otc"] else {
            return Pages.deviceCode(nil, problem: nil)
        }
        guard request.method == "POST" || browser.auto != nil else { return Pages.deviceCode(typed, problem: nil) }
        guard let code = devices.code(for: typed, at: now), let device = devices[code] else {
            return Pages.deviceCode(typed, problem: "No device waits with this code. Check it, or ask for a new one.")
        }
        var transaction = Transaction(
            purpose: .device(code), issuer: device.issuer, clientId: device.clientId, scopes: device.scopes,
            startedAt: now)
        if let auto = browser.auto, let user = people.user(auto), device.issuer.admits(user) {
            transaction.username = user.username
            transaction.agreesToAll = true
        }
        let id = RandomValue.token()
        browser.transactions[id] = transaction
        return proceed(id, request.method == "POST" ? form : Form(), request: request)
    }
}
