import Testing

@testable import Sandbox

struct HabitTests {
    private static let scope = "openid profile email offline_access notes.read"

    private func open(_ habits: Quirk...) async throws -> BrowserClient {
        var visitor = try await BrowserClient(BrowserClient.interval(0))
        visitor.userAgent = "curl/8.0"
        for habit in habits { visitor.provider.bend(Fault(.habit(habit))) }
        return visitor
    }

    private func lab(_ visitor: inout BrowserClient, more: [(String, String?)] = []) -> Answer {
        visitor.authorize("/oidc", client: Directory.labCLI, scope: Self.scope, more: more)
    }

    private func tokens(_ visitor: inout BrowserClient) throws -> JSON {
        try visitor.redeem(BrowserClient.parameters(lab(&visitor))["code"], "/oidc", client: Directory.labCLI)
    }

    private func refresh(_ visitor: inout BrowserClient, _ tokens: JSON) throws -> JSON {
        try visitor.refresh(tokens["refresh_token"]?.string, "/oidc", client: Directory.labCLI)
    }

    @Test func `Documents are in one place, in the other, or in none`() async throws {
        var visitor = try await open()
        let (oidc, oauth) = ("/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc")
        func statuses(_ habit: Quirk) -> [Int] {
            visitor.provider.straighten()
            visitor.provider.bend(Fault(.habit(habit)))
            return [oidc, oauth].map { visitor.send("GET", $0).status }
        }
        #expect(statuses(.onlyOAuthMetadata) == [404, 200])
        #expect(statuses(.noMetadata) == [404, 404])
        #expect(statuses(.splitMetadata) == [200, 200])
        #expect(try visitor.json("GET", oidc)["device_authorization_endpoint"] == nil)
        #expect(try visitor.json("GET", oauth)["device_authorization_endpoint"] != nil)
        _ = statuses(.advertisesNone)
        #expect(try visitor.json("GET", oidc)["id_token_signing_alg_values_supported"]?.array == ["none", "RS256"])
        _ = statuses(.issuerMismatch)
        #expect(try visitor.json("GET", oidc)["issuer"]?.string == visitor.provider.baseURL + "/elsewhere")
        await visitor.provider.stop()
    }

    @Test func `A port that is not the registered one ends on a page with status 200`() async throws {
        var visitor = try await open(.exactPort)
        let lost = lab(&visitor)
        #expect(lost.status == 200 && lost.header("Location") == nil && lost.body.contains("Mismatching redirect URI"))
        let made = try JSON(
            parsing: visitor.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1:8911/callback"]}"#)
            ).body)
        let found = visitor.authorize(
            "/oidc", client: made["client_id"]?.string ?? "", scope: "openid",
            redirect: "http://127.0.0.1:8911/callback")
        #expect(BrowserClient.parameters(found)["code"] != nil)
        await visitor.provider.stop()
    }

    @Test func `Authorization: nonce, prompt=consent, parameters too many, iss too few`() async throws {
        var visitor = try await open(.nonceRequired, .consentForOffline, .extraParameters, .noIssInErrors)
        let bare = visitor.send(
            "GET", "/oidc/authorize",
            [
                ("client_id", Directory.labCLI), ("response_type", "code"), ("redirect_uri", "http://127.0.0.1:1"),
                ("scope", "openid"),
                ("code_challenge", BrowserClient.challenge), ("code_challenge_method", "S256"),
            ])
        #expect(
            BrowserClient.parameters(bare)["error"] == "invalid_request" && BrowserClient.parameters(bare)["iss"] == nil
        )
        let back = BrowserClient.parameters(lab(&visitor))
        #expect(
            back["session_state"] != nil && back["scope"] != nil && back["client_info"] != nil && back["iss"] != nil)
        #expect(try visitor.redeem(back["code"], "/oidc", client: Directory.labCLI)["refresh_token"] == nil)
        let page = lab(&visitor, more: [("prompt", "consent")])
        let end = visitor.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(page)), ("username", "hedy@lab.example"),
                ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(
            try visitor.redeem(BrowserClient.parameters(end)["code"], "/oidc", client: Directory.labCLI)[
                "refresh_token"] != nil)
        await visitor.provider.stop()
    }

    @Test func `Token answers in every odd form, and the refresh in another`() async throws {
        var visitor = try await open(
            .tokenTypeCase, .expiresInText, .scopeReordered, .scopeDuplicated, .shorterOnRefresh, .noIDTokenOnRefresh)
        let first = try tokens(&visitor)
        #expect(
            first["token_type"]?.string == "bEARER" && first["expires_in"]?.string == "3600" && first["id_token"] != nil
        )
        #expect(first["scope"]?.string == "notes.read offline_access email profile openid notes.read")
        let second = try refresh(&visitor, first)
        #expect(second["expires_in"]?.string == "1800" && second["id_token"] == nil)
        visitor.provider.straighten()
        visitor.provider.bend(Fault(.habit(.expiresInEpoch)), Fault(.habit(.scopeAbsent)))
        let third = try refresh(&visitor, second)
        #expect((third["expires_in"]?.int ?? 0) > 1_700_000_000 && third["scope"] == nil)
        await visitor.provider.stop()
    }

    @Test func `Claims of odd types`() async throws {
        var visitor = try await open(.textClaims, .listAudience)
        let answer = try tokens(&visitor)
        let claims = try BrowserClient.claims(answer["id_token"]?.string)
        #expect(claims["auth_time"]?.string != nil && claims["email_verified"]?.string == "true")
        #expect(claims["aud"]?.array == [.string(Directory.labCLI)])
        #expect(try BrowserClient.claims(answer["access_token"]?.string)["aud"]?.array == [])
        visitor.provider.straighten()
        visitor.provider.bend(Fault(.habit(.fractionClaims)))
        guard case .double? = try BrowserClient.claims(tokens(&visitor)["id_token"]?.string)["auth_time"] else {
            Issue.record("auth_time is no fraction")
            return
        }
        await visitor.provider.stop()
    }

    @Test(arguments: [
        (Quirk.emptyErrors, 400, ""), (.detailErrors, 400, "{\"detail\":"),
        (.invalidRequestForGrant, 400, "{\"error\":\"invalid_request\""),
        (.forbiddenErrors, 403, "{\"error\":\"invalid_grant\""), (.formAnswers, 400, "error=invalid_grant&"),
        (.jsonAsHTML, 400, "{\"error\":\"invalid_grant\""),
    ])
    func `A bad refresh token is refused in every odd form`(_ habit: Quirk, _ status: Int, _ start: String) async throws
    {
        var visitor = try await open(habit)
        let form: [(String, String?)] = [
            ("grant_type", "refresh_token"), ("client_id", Directory.labCLI), ("refresh_token", "rt.nothing"),
        ]
        let answer = visitor.send("POST", "/oidc/token", form)
        #expect(answer.status == status && answer.body.hasPrefix(start) && answer.body.isEmpty == start.isEmpty)
        let type = answer.header("Content-Type")
        switch habit {
        case .emptyErrors: #expect(type == nil)
        case .formAnswers:
            #expect(type?.hasPrefix("application/x-www-form-urlencoded") == true)
            let polite = SandboxRequest(
                "POST", "/oidc/token", headers: ["accept": "application/json"], body: Form(form).encoded)
            #expect(visitor.provider.answer(polite).body.hasPrefix("{"))
        case .jsonAsHTML: #expect(type?.hasPrefix("text/html") == true)
        default: #expect(type?.hasPrefix("application/json") == true)
        }
        await visitor.provider.stop()
    }

    @Test func `A 5xx on refresh spends nothing`() async throws {
        var visitor = try await open()
        let first = try tokens(&visitor)
        visitor.provider.bend(Fault(.status(503, retryAfter: nil), endpoint: "token:refresh_token", times: 1))
        let form: [(String, String?)] = [
            ("grant_type", "refresh_token"), ("client_id", Directory.labCLI),
            ("refresh_token", first["refresh_token"]?.string),
        ]
        #expect(visitor.send("POST", "/oidc/token", form).status == 503)
        #expect(visitor.send("POST", "/oidc/token", form).status == 200)
        await visitor.provider.stop()
    }

    @Test func `Device codes: no interval, no dash, a query with a space, 404, and never slow_down`() async throws {
        var visitor = try await open(
            .noInterval, .dashlessCodes, .verificationQuery, .unknownCode404, .neverSlowDown, .noIDTokenOnDevice)
        let codes = try visitor.json("POST", "/oidc/device", [("client_id", Directory.labCLI), ("scope", Self.scope)])
        let user = try #require(codes["user_code"]?.string)
        #expect(codes["interval"] == nil && !user.contains("-"))
        #expect(codes["verification_uri"]?.string == visitor.provider.baseURL + "/device?next=sign in&lang=en")
        #expect(visitor.send("GET", "/device?next=sign%20in&lang=en").body.contains("name=\"user_code\""))
        let unknown = visitor.send(
            "POST", "/oidc/token",
            [("grant_type", DeviceGrant.grantType), ("client_id", Directory.labCLI), ("device_code", "never")])
        #expect(unknown.status == 404 && unknown.body.contains("invalid_grant"))
        let secret = codes["device_code"]?.string ?? ""
        for _ in 0..<3 {
            #expect(
                try visitor.poll(secret, "/oidc", client: Directory.labCLI)["error"]?.string == "authorization_pending")
        }
        try visitor.provider.approve(userCode: user.prefix(4) + "-" + user.suffix(4), username: "hedy@lab.example")
        let answer = try visitor.poll(secret, "/oidc", client: Directory.labCLI)
        #expect(answer["access_token"] != nil && answer["id_token"] == nil)
        await visitor.provider.stop()
    }

    @Test func `A replay may end the chain, only itself, or not exist`() async throws {
        var visitor = try await open(.replayTolerated)
        let first = try tokens(&visitor)
        let second = try refresh(&visitor, first)
        #expect(try refresh(&visitor, first)["error"]?.string == "invalid_grant")
        #expect(try refresh(&visitor, second)["access_token"] != nil)
        visitor.provider.straighten()
        visitor.provider.bend(Fault(.habit(.noRotation)))
        let third = try tokens(&visitor)
        for _ in 0..<2 {
            let again = try refresh(&visitor, third)
            #expect(again["access_token"] != nil && again["refresh_token"] == nil)
        }
        await visitor.provider.stop()
    }

    @Test func `Leaving: no revocation, none for the likes of us, no way back, a page, an exact address`() async throws
    {
        var visitor = try await open(.revocationRefused)
        let form: [(String, String?)] = [("client_id", Directory.labCLI), ("token", "rt.anything")]
        #expect(visitor.send("POST", "/oidc/revoke", form).status == 401)
        let hint = try visitor.provider.issue(username: "hedy@lab.example", client: Directory.labCLI, scope: "openid")[
            "id_token"]?.string
        func leave(_ habit: Quirk, to target: String = "http://localhost:5/") -> Answer {
            visitor.provider.straighten()
            visitor.provider.bend(Fault(.habit(habit)))
            return visitor.send(
                "GET", "/oidc/logout", [("id_token_hint", hint), ("post_logout_redirect_uri", target), ("state", "s")])
        }
        #expect(leave(.logoutDropsState).header("Location") == "http://localhost:5/")
        let page = leave(.logoutPage)
        #expect(page.status == 200 && page.body.contains("href=\"http://localhost:5/?state=s\""))
        #expect(leave(.exactPostLogout).status == 400)
        #expect(leave(.exactPostLogout, to: "http://localhost").status == 302)
        #expect(leave(.noEndSession).status == 404)
        visitor.provider.straighten()
        visitor.provider.bend(Fault(.habit(.noRevocation)))
        #expect(visitor.send("POST", "/oidc/revoke", form).status == 404)
        #expect(try visitor.json("GET", "/oidc/.well-known/openid-configuration")["revocation_endpoint"] == nil)
        await visitor.provider.stop()
    }

    @Test func `Registration: a secret nobody asked for, slashes, times as texts`() async throws {
        let visitor = try await open(.registrationSecret, .registrationSlashes, .registrationTextTimes)
        let made = try JSON(
            parsing: visitor.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"]}"#)
            ).body)
        #expect(made["client_id"]?.string?.contains("/dyn/") == true && made["client_secret"]?.string != nil)
        #expect(made["client_id_issued_at"]?.string != nil && made["client_secret_expires_at"]?.string == "0")
        await visitor.provider.stop()
    }

    @Test func `Habits come by name or as a profile, are told in the state, and go with the faults`() async throws {
        let visitor = try await open()
        _ = try visitor.control(
            "POST", "faults",
            #"[{"kind":"exactPort"},{"kind":"habit","name":"noInterval"},{"kind":"profile","name":"loose"}]"#)
        let habits = try visitor.control("GET", "state")["habits"]?.array ?? []
        #expect(habits.contains("exactPort") && habits.contains("noInterval") && habits.contains("listAudience"))
        _ = try visitor.control("DELETE", "faults")
        #expect(try visitor.control("GET", "state")["habits"]?.array == [])
        #expect(
            try visitor.control("POST", "faults", #"{"kind":"profile","name":"kind"}"#)["error"]?.string
                == "invalid_request")
        #expect(try visitor.control("GET", "habits")["habits"]?.array?.count == Quirk.allCases.count)
        // Every habit can be named from outside, and none is taken for another kind of fault.
        for habit in Quirk.allCases {
            #expect(try Fault(JSON(parsing: #"{"kind":"\#(habit.rawValue)"}"#)).kind == .habit(habit))
        }
        await visitor.provider.stop()
    }

    @Test func `A fault may concern one tenant: conditional access for the guest, none at home`() async throws {
        var visitor = try await open()
        let ada = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        visitor.provider.bend(
            Fault(
                .error(
                    "interaction_required", suberror: "basic_action", codes: [50076], claims: claims, description: nil,
                    status: 400),
                endpoint: "token", tenant: "fabrikam.example"))
        let guest = try visitor.refresh(ada, "/fabrikam.example/oauth2/v2.0")
        #expect(guest["error"]?.string == "interaction_required" && guest["claims"]?.string == claims)
        let home = try visitor.refresh(ada)
        #expect(try BrowserClient.claims(home["id_token"]?.string)["tid"]?.string == Directory.contoso.id)
        visitor.provider.straighten()
        let there = try BrowserClient.claims(visitor.refresh(ada, "/fabrikam.example/oauth2/v2.0")["id_token"]?.string)
        #expect(there["tid"]?.string == Directory.fabrikam.id && there["oid"]?.string?.hasSuffix("f1") == true)
        await visitor.provider.stop()
    }
}
