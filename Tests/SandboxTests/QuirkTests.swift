import Testing

@testable import Sandbox

struct QuirkTests {
    private static let scope = "openid profile email offline_access notes.read"

    private func open(_ quirks: Quirk...) async throws -> BrowserClient {
        var browser = try await BrowserClient(BrowserClient.interval(0))
        browser.userAgent = "curl/8.0"
        for quirk in quirks { browser.provider.bend(Fault(.quirk(quirk))) }
        return browser
    }

    private func lab(_ browser: inout BrowserClient, more: [(String, String?)] = []) -> SandboxResponse {
        browser.authorize("/oidc", client: Directory.labCLI, scope: Self.scope, more: more)
    }

    private func tokens(_ browser: inout BrowserClient) throws -> JSON {
        try browser.redeem(BrowserClient.parameters(lab(&browser))["code"], "/oidc", client: Directory.labCLI)
    }

    private func refresh(_ browser: inout BrowserClient, _ tokens: JSON) throws -> JSON {
        try browser.refresh(tokens["refresh_token"]?.string, "/oidc", client: Directory.labCLI)
    }

    @Test func `Documents are in one place, in the other, or in none`() async throws {
        var browser = try await open()
        let (oidc, oauth) = ("/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc")
        func statuses(_ quirk: Quirk) -> [Int] {
            browser.provider.clearFaults()
            browser.provider.bend(Fault(.quirk(quirk)))
            return [oidc, oauth].map { browser.send("GET", $0).status }
        }
        #expect(statuses(.onlyOAuthMetadata) == [404, 200])
        #expect(statuses(.noMetadata) == [404, 404])
        #expect(statuses(.splitMetadata) == [200, 200])
        #expect(try browser.json("GET", oidc)["device_authorization_endpoint"] == nil)
        #expect(try browser.json("GET", oauth)["device_authorization_endpoint"] != nil)
        _ = statuses(.advertisesNone)
        #expect(try browser.json("GET", oidc)["id_token_signing_alg_values_supported"]?.array == ["none", "RS256"])
        _ = statuses(.issuerMismatch)
        #expect(try browser.json("GET", oidc)["issuer"]?.string == browser.provider.baseURL + "/elsewhere")
        await browser.provider.stop()
    }

    @Test func `A port that is not the registered one ends on a page with status 200`() async throws {
        var browser = try await open(.exactPort)
        let lost = lab(&browser)
        #expect(lost.status == 200 && lost.header("Location") == nil && lost.body.contains("Mismatching redirect URI"))
        let made = try JSON(
            parsing: browser.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1:8911/callback"]}"#)
            ).body)
        let found = browser.authorize(
            "/oidc", client: made["client_id"]?.string ?? "", scope: "openid",
            redirect: "http://127.0.0.1:8911/callback")
        #expect(BrowserClient.parameters(found)["code"] != nil)
        await browser.provider.stop()
    }

    @Test func `Authorization: nonce, prompt=consent, parameters too many, iss too few`() async throws {
        var browser = try await open(.nonceRequired, .consentForOffline, .extraParameters, .noIssInErrors)
        let bare = browser.send(
            "GET", "/oidc/authorize",
            [
                ("client_id", Directory.labCLI), ("response_type", "code"), ("redirect_uri", "http://127.0.0.1:1"),
                ("scope", "openid"),
                ("code_challenge", BrowserClient.challenge), ("code_challenge_method", "S256"),
            ])
        #expect(
            BrowserClient.parameters(bare)["error"] == "invalid_request" && BrowserClient.parameters(bare)["iss"] == nil
        )
        let back = BrowserClient.parameters(lab(&browser))
        #expect(
            back["session_state"] != nil && back["scope"] != nil && back["client_info"] != nil && back["iss"] != nil)
        #expect(try browser.redeem(back["code"], "/oidc", client: Directory.labCLI)["refresh_token"] == nil)
        let page = lab(&browser, more: [("prompt", "consent")])
        let end = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(page)), ("username", "hedy@lab.example"),
                ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(
            try browser.redeem(BrowserClient.parameters(end)["code"], "/oidc", client: Directory.labCLI)[
                "refresh_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `Token answers in every odd form, and the refresh in another`() async throws {
        var browser = try await open(
            .tokenTypeCase, .expiresInText, .scopeReordered, .scopeDuplicated, .shorterOnRefresh, .noIDTokenOnRefresh)
        let first = try tokens(&browser)
        #expect(
            first["token_type"]?.string == "bEARER" && first["expires_in"]?.string == "3600" && first["id_token"] != nil
        )
        #expect(first["scope"]?.string == "notes.read offline_access email profile openid notes.read")
        let second = try refresh(&browser, first)
        #expect(second["expires_in"]?.string == "1800" && second["id_token"] == nil)
        browser.provider.clearFaults()
        browser.provider.bend(Fault(.quirk(.expiresInEpoch)), Fault(.quirk(.scopeAbsent)))
        let third = try refresh(&browser, second)
        #expect((third["expires_in"]?.int ?? 0) > 1_700_000_000 && third["scope"] == nil)
        await browser.provider.stop()
    }

    @Test func `Claims of odd types`() async throws {
        var browser = try await open(.textClaims, .listAudience)
        let answer = try tokens(&browser)
        let claims = try BrowserClient.claims(answer["id_token"]?.string)
        #expect(claims["auth_time"]?.string != nil && claims["email_verified"]?.string == "true")
        #expect(claims["aud"]?.array == [.string(Directory.labCLI)])
        #expect(try BrowserClient.claims(answer["access_token"]?.string)["aud"]?.array == [])
        browser.provider.clearFaults()
        browser.provider.bend(Fault(.quirk(.fractionClaims)))
        guard case .double? = try BrowserClient.claims(tokens(&browser)["id_token"]?.string)["auth_time"] else {
            Issue.record("auth_time is no fraction")
            return
        }
        await browser.provider.stop()
    }

    @Test(arguments: [
        (Quirk.emptyErrors, 400, ""), (.detailErrors, 400, "{\"detail\":"),
        (.invalidRequestForGrant, 400, "{\"error\":\"invalid_request\""),
        (.forbiddenErrors, 403, "{\"error\":\"invalid_grant\""), (.formAnswers, 400, "error=invalid_grant&"),
        (.jsonAsHTML, 400, "{\"error\":\"invalid_grant\""),
    ])
    func `A bad refresh token is refused in every odd form`(_ quirk: Quirk, _ status: Int, _ start: String) async throws
    {
        var browser = try await open(quirk)
        let form: [(String, String?)] = [
            ("grant_type", "refresh_token"), ("client_id", Directory.labCLI), ("refresh_token", "rt.nothing"),
        ]
        let answer = browser.send("POST", "/oidc/token", form)
        #expect(answer.status == status && answer.body.hasPrefix(start) && answer.body.isEmpty == start.isEmpty)
        let type = answer.header("Content-Type")
        switch quirk {
        case .emptyErrors: #expect(type == nil)
        case .formAnswers:
            #expect(type?.hasPrefix("application/x-www-form-urlencoded") == true)
            let polite = SandboxRequest(
                "POST", "/oidc/token", headers: ["accept": "application/json"], body: Form(form).encoded)
            #expect(browser.provider.answer(polite).body.hasPrefix("{"))
        case .jsonAsHTML: #expect(type?.hasPrefix("text/html") == true)
        default: #expect(type?.hasPrefix("application/json") == true)
        }
        await browser.provider.stop()
    }

    @Test func `A 5xx on refresh spends nothing`() async throws {
        var browser = try await open()
        let first = try tokens(&browser)
        browser.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token", times: 1))
        let form: [(String, String?)] = [
            ("grant_type", "refresh_token"), ("client_id", Directory.labCLI),
            ("refresh_token", first["refresh_token"]?.string),
        ]
        #expect(browser.send("POST", "/oidc/token", form).status == 503)
        #expect(browser.send("POST", "/oidc/token", form).status == 200)
        await browser.provider.stop()
    }

    @Test func `Device codes: no interval, no dash, a query with a space, 404, and never slow_down`() async throws {
        var browser = try await open(
            .noInterval, .dashlessCodes, .verificationQuery, .unknownCode404, .neverSlowDown, .noIDTokenOnDevice)
        let codes = try browser.json("POST", "/oidc/device", [("client_id", Directory.labCLI), ("scope", Self.scope)])
        let user = try #require(codes["user_code"]?.string)
        #expect(codes["interval"] == nil && !user.contains("-"))
        #expect(codes["verification_uri"]?.string == browser.provider.baseURL + "/device?next=sign in&lang=en")
        #expect(browser.send("GET", "/device?next=sign%20in&lang=en").body.contains("name=\"user_code\""))
        let unknown = browser.send(
            "POST", "/oidc/token",
            [("grant_type", DeviceGrant.grantType), ("client_id", Directory.labCLI), ("device_code", "never")])
        #expect(unknown.status == 404 && unknown.body.contains("invalid_grant"))
        let secret = codes["device_code"]?.string ?? ""
        for _ in 0..<3 {
            #expect(
                try browser.poll(secret, "/oidc", client: Directory.labCLI)["error"]?.string == "authorization_pending")
        }
        try browser.provider.approve(userCode: user.prefix(4) + "-" + user.suffix(4), username: "hedy@lab.example")
        let answer = try browser.poll(secret, "/oidc", client: Directory.labCLI)
        #expect(answer["access_token"] != nil && answer["id_token"] == nil)
        await browser.provider.stop()
    }

    @Test func `A replay may end the chain, only itself, or not exist`() async throws {
        var browser = try await open(.replayTolerated)
        let first = try tokens(&browser)
        let second = try refresh(&browser, first)
        #expect(try refresh(&browser, first)["error"]?.string == "invalid_grant")
        #expect(try refresh(&browser, second)["access_token"] != nil)
        browser.provider.clearFaults()
        browser.provider.bend(Fault(.quirk(.noRotation)))
        let third = try tokens(&browser)
        for _ in 0..<2 {
            let again = try refresh(&browser, third)
            #expect(again["access_token"] != nil && again["refresh_token"] == nil)
        }
        await browser.provider.stop()
    }

    @Test func `Leaving: no revocation, none for the likes of us, no way back, a page, an exact address`() async throws
    {
        var browser = try await open(.revocationRefused)
        let form: [(String, String?)] = [("client_id", Directory.labCLI), ("token", "rt.anything")]
        #expect(browser.send("POST", "/oidc/revoke", form).status == 401)
        let hint = try browser.provider.issue(username: "hedy@lab.example", client: Directory.labCLI, scope: "openid")[
            "id_token"]?.string
        func leave(_ quirk: Quirk, to target: String = "http://localhost:5/") -> SandboxResponse {
            browser.provider.clearFaults()
            browser.provider.bend(Fault(.quirk(quirk)))
            return browser.send(
                "GET", "/oidc/logout", [("id_token_hint", hint), ("post_logout_redirect_uri", target), ("state", "s")])
        }
        #expect(leave(.logoutDropsState).header("Location") == "http://localhost:5/")
        let page = leave(.logoutPage)
        #expect(page.status == 200 && page.body.contains("href=\"http://localhost:5/?state=s\""))
        #expect(leave(.exactPostLogout).status == 400)
        #expect(leave(.exactPostLogout, to: "http://localhost").status == 302)
        #expect(leave(.noEndSession).status == 404)
        browser.provider.clearFaults()
        browser.provider.bend(Fault(.quirk(.noRevocation)))
        #expect(browser.send("POST", "/oidc/revoke", form).status == 404)
        #expect(try browser.json("GET", "/oidc/.well-known/openid-configuration")["revocation_endpoint"] == nil)
        await browser.provider.stop()
    }

    @Test func `Registration: a secret nobody asked for, slashes, times as texts`() async throws {
        let browser = try await open(.registrationSecret, .registrationSlashes, .registrationTextTimes)
        let made = try JSON(
            parsing: browser.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"]}"#)
            ).body)
        #expect(made["client_id"]?.string?.contains("/dyn/") == true && made["client_secret"]?.string != nil)
        #expect(made["client_id_issued_at"]?.string != nil && made["client_secret_expires_at"]?.string == "0")
        await browser.provider.stop()
    }

    @Test func `Quirks come by name or as a profile, are told in the state, and go with the faults`() async throws {
        let browser = try await open()
        _ = try browser.control(
            "POST", "faults",
            #"[{"kind":"exactPort"},{"kind":"quirk","name":"noInterval"},{"kind":"profile","name":"loose"}]"#)
        let quirks = try browser.control("GET", "state")["quirks"]?.array ?? []
        #expect(quirks.contains("exactPort") && quirks.contains("noInterval") && quirks.contains("listAudience"))
        _ = try browser.control("DELETE", "faults")
        #expect(try browser.control("GET", "state")["quirks"]?.array == [])
        #expect(
            try browser.control("POST", "faults", #"{"kind":"profile","name":"kind"}"#)["error"]?.string
                == "invalid_request")
        #expect(try browser.control("GET", "quirks")["quirks"]?.array?.count == Quirk.allCases.count)
        // Every quirk can be named from outside, and none is taken for another kind of fault.
        for quirk in Quirk.allCases {
            #expect(try Fault(JSON(parsing: #"{"kind":"\#(quirk.rawValue)"}"#)).kind == .quirk(quirk))
        }
        await browser.provider.stop()
    }

    @Test func `A fault may concern one tenant: conditional access for the guest, none at home`() async throws {
        var browser = try await open()
        let ada = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        browser.provider.bend(
            Fault(
                .error(
                    "interaction_required", suberror: "basic_action", codes: [50076], claims: claims, description: nil,
                    status: 400),
                endpoint: "token", tenant: "fabrikam.example"))
        let guest = try browser.refresh(ada, "/fabrikam.example/oauth2/v2.0")
        #expect(guest["error"]?.string == "interaction_required" && guest["claims"]?.string == claims)
        let home = try browser.refresh(ada)
        #expect(try BrowserClient.claims(home["id_token"]?.string)["tid"]?.string == Directory.contoso.id)
        browser.provider.clearFaults()
        let there = try BrowserClient.claims(browser.refresh(ada, "/fabrikam.example/oauth2/v2.0")["id_token"]?.string)
        #expect(there["tid"]?.string == Directory.fabrikam.id && there["oid"]?.string?.hasSuffix("f1") == true)
        await browser.provider.stop()
    }
}
