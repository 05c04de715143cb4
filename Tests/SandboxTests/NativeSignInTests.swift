import Testing

@testable import Sandbox

/// Native authentication of Entra External ID.
struct NativeSignInTests {
    static let root = "/woodgrove.example"
    static let types = "oob password redirect"

    private func post(_ browser: inout BrowserClient, _ path: String, _ pairs: [(String, String?)]) throws -> JSON {
        try browser.json("POST", Self.root + path, [("client_id", Directory.ciamApp)] + pairs)
    }

    /// The next step with the token of the one before.
    private func next(
        _ browser: inout BrowserClient, _ path: String, after answer: JSON, _ pairs: [(String, String?)] = []
    ) throws -> JSON {
        try post(&browser, path, [("continuation_token", answer["continuation_token"]?.string)] + pairs)
    }

    private func initiate(
        _ browser: inout BrowserClient, _ username: String = "chien@shop.example", capabilities: String? = nil
    ) throws -> JSON {
        try post(
            &browser, "/oauth2/v2.0/initiate",
            [("username", username), ("challenge_type", Self.types), ("capabilities", capabilities)])
    }

    private func code(_ browser: BrowserClient, _ address: String = "chien@shop.example") -> String? {
        browser.provider.codes(mailedTo: address).first
    }

    @Test func `A password signs in, and each continuation token works once`() async throws {
        var browser = try await BrowserClient()
        let started = try initiate(&browser)
        let challenged = try next(&browser, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(challenged["challenge_type"]?.string == "password")
        let stale = try next(&browser, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(stale["error"]?.string == "invalid_grant")
        let wrong = try next(
            &browser, "/oauth2/v2.0/token", after: challenged, [("grant_type", "password"), ("password", "no")])
        #expect(wrong["error"]?.string == "invalid_grant" && wrong["error_codes"]?.array == [50126])
        let form: [(String, String?)] = [("grant_type", "password"), ("password", "sandbox"), ("client_info", "true")]
        let tokens = try next(&browser, "/oauth2/v2.0/token", after: challenged, form)
        #expect(try BrowserClient.claims(tokens["id_token"]?.string)["tid"]?.string == Directory.ciamTenant.id)
        #expect(tokens["refresh_token"] != nil && tokens["client_info"] != nil)
        #expect(try next(&browser, "/oauth2/v2.0/token", after: challenged, form)["error"]?.string == "invalid_grant")
        #expect(browser.provider.requests("native:oauth2/initiate") == 1)
        await browser.provider.stop()
    }

    @Test func `A code that only the mailbox knows signs in; another is invalid_oob_value, and five of them end it`()
        async throws
    {
        var browser = try await BrowserClient()
        let started = try initiate(&browser)
        let sent = try next(&browser, "/oauth2/v2.0/challenge", after: started, [("challenge_type", "oob redirect")])
        #expect(sent["challenge_type"]?.string == "oob" && sent["code_length"]?.int == NativeFlow.codeLength)
        #expect(sent["challenge_target_label"]?.string == "c***n@shop.example")
        let mailed = try browser.json("GET", "/_sandbox/mailbox", [("user", "chien@shop.example")])["mails"]?.array?
            .first?["code"]?.string
        #expect(mailed != nil && mailed == code(browser))
        #expect(browser.send("GET", "/mailbox").body.contains(mailed ?? "none"))
        let bad: [(String, String?)] = [("grant_type", "oob"), ("oob", "x")]
        #expect(try next(&browser, "/oauth2/v2.0/token", after: sent, bad)["suberror"]?.string == "invalid_oob_value")
        let tokens = try next(&browser, "/oauth2/v2.0/token", after: sent, [("grant_type", "oob"), ("oob", mailed)])
        #expect(tokens["access_token"] != nil)

        let again = try next(
            &browser, "/oauth2/v2.0/challenge", after: try initiate(&browser), [("challenge_type", "oob redirect")])
        for _ in 0..<NativeFlow.attempts { _ = try next(&browser, "/oauth2/v2.0/token", after: again, bad) }
        let over = try next(
            &browser, "/oauth2/v2.0/token", after: again, [("grant_type", "oob"), ("oob", code(browser))])
        #expect(over["error"]?.string == "expired_token")
        await browser.provider.stop()
    }

    @Test func `A new code gives no more attempts: five wrong ones end it, however many codes were sent`() async throws
    {
        var browser = try await BrowserClient()
        var step = try initiate(&browser)
        let types: [(String, String?)] = [("challenge_type", "oob redirect")]
        for _ in 0..<NativeFlow.attempts {
            step = try next(&browser, "/oauth2/v2.0/challenge", after: step, types)
            let wrong = try next(&browser, "/oauth2/v2.0/token", after: step, [("grant_type", "oob"), ("oob", "x")])
            #expect(wrong["suberror"]?.string == "invalid_oob_value")
        }
        #expect(try next(&browser, "/oauth2/v2.0/challenge", after: step, types)["error"]?.string == "expired_token")
        await browser.provider.stop()
    }

    @Test func `Errors: nobody, another's tenant, no redirect, an old token, a browser`() async throws {
        var browser = try await BrowserClient()
        let nobody = try initiate(&browser, "nobody@shop.example")
        #expect(nobody["error"]?.string == "user_not_found" && nobody["error_codes"]?.array == [50034])
        #expect(try initiate(&browser, "ada@contoso.example")["error"]?.string == "user_not_found")
        let types = try post(
            &browser, "/oauth2/v2.0/initiate", [("username", "chien@shop.example"), ("challenge_type", "oob")])
        #expect(types["error"]?.string == "unsupported_challenge_type")
        let started = try initiate(&browser)
        try browser.provider.advanceClock(by: NativeFlow.lifetime)
        let old = try next(&browser, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(old["error"]?.string == "expired_token")
        let only = try next(
            &browser, "/oauth2/v2.0/challenge", after: try initiate(&browser), [("challenge_type", "redirect")])
        #expect(only["challenge_type"]?.string == "redirect")
        browser.provider.bend(Fault(.quirk(.nativeRedirect)))
        #expect(try initiate(&browser)["challenge_type"]?.string == "redirect")
        let employee = try browser.json(
            "POST", "/contoso.example/oauth2/v2.0/initiate",
            [("client_id", Directory.tryOut), ("username", "ada@contoso.example")])
        #expect(employee["error"]?.string == "invalid_request")
        await browser.provider.stop()
    }

    @Test func `A second factor: mfa_required, methods, a code, tokens; without the capability a browser`() async throws
    {
        var browser = try await BrowserClient()
        try browser.provider.demandContext("c1", tenant: "woodgrove.example")
        func first(_ capabilities: String?) throws -> JSON {
            let challenged = try next(
                &browser, "/oauth2/v2.0/challenge", after: try initiate(&browser, capabilities: capabilities),
                [("challenge_type", Self.types)])
            return try next(
                &browser, "/oauth2/v2.0/token", after: challenged,
                [("grant_type", "password"), ("password", "sandbox")])
        }
        #expect(try first(nil)["challenge_type"]?.string == "redirect")
        let wanted = try first("mfa_required registration_required")
        #expect(wanted["suberror"]?.string == "mfa_required" && wanted["error_codes"]?.array == [50076])
        let blind = try next(&browser, "/oauth2/v2.0/challenge", after: wanted, [("challenge_type", Self.types)])
        #expect(blind["suberror"]?.string == "introspect_required")
        let methods = try next(&browser, "/oauth2/v2.0/introspect", after: wanted)
        let method = try #require(methods["methods"]?.array?.first)
        let sent = try next(
            &browser, "/oauth2/v2.0/challenge", after: methods,
            [("id", method["id"]?.string), ("challenge_type", Self.types)])
        let tokens = try next(
            &browser, "/oauth2/v2.0/token", after: sent, [("grant_type", "mfa_oob"), ("oob", code(browser))])
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c1"])
        await browser.provider.stop()
    }

    @Test func `Signing up: code, password, attributes, tokens; then the name is taken`() async throws {
        var browser = try await BrowserClient()
        browser.provider.bend(Fault(.quirk(.nativeAttributes)))
        let name = "rita@shop.example"
        let start: [(String, String?)] = [("username", name), ("challenge_type", Self.types)]
        let started = try post(&browser, "/signup/v1.0/start", start)
        let sent = try next(&browser, "/signup/v1.0/challenge", after: started, [("challenge_type", Self.types)])
        let verified = try next(
            &browser, "/signup/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(browser, name))])
        #expect(verified["error"]?.string == "credential_required")
        let asked = try next(&browser, "/signup/v1.0/challenge", after: verified, [("challenge_type", Self.types)])
        #expect(asked["challenge_type"]?.string == "password")
        for (password, rule) in [
            ("Ab1!", "password_too_short"), ("abcdefgh", "password_too_weak"), ("My-Password-1", "password_banned"),
            (String(repeating: "aB1!", count: 65), "password_too_long"), ("aB1!\u{7}xyzw", "password_is_invalid"),
        ] {
            let refused = try next(
                &browser, "/signup/v1.0/continue", after: asked, [("grant_type", "password"), ("password", password)])
            #expect(refused["error"]?.string == "invalid_grant" && refused["suberror"]?.string == rule)
        }
        let good: [(String, String?)] = [("grant_type", "password"), ("password", "Correct-horse-7")]
        let wanting = try next(&browser, "/signup/v1.0/continue", after: asked, good)
        #expect(wanting["error"]?.string == "attributes_required" && wanting["required_attributes"]?.array?.count == 2)
        let bad = try next(
            &browser, "/signup/v1.0/continue", after: wanting,
            [("grant_type", "attributes"), ("attributes", #"{"shoeSize":"9"}"#)])
        #expect(bad["suberror"]?.string == "attribute_validation_failed")
        let done = try next(
            &browser, "/signup/v1.0/continue", after: wanting,
            [("grant_type", "attributes"), ("attributes", #"{"displayName":"Rita","city":"Turin"}"#)])
        let tokens = try next(
            &browser, "/oauth2/v2.0/token", after: done, [("grant_type", "continuation_token"), ("username", name)])
        #expect(try BrowserClient.claims(tokens["id_token"]?.string)["name"]?.string == "Rita")
        #expect(try post(&browser, "/signup/v1.0/start", start)["error"]?.string == "user_already_exists")
        await browser.provider.stop()
    }

    @Test func `Whoever signs up with codes has no password, and an unverified address has no account`() async throws {
        var browser = try await BrowserClient()
        browser.provider.bend(Fault(.quirk(.nativeCodes)))
        let name = "lynn@shop.example"
        let started = try post(&browser, "/signup/v1.0/start", [("username", name), ("challenge_type", Self.types)])
        let early = try next(
            &browser, "/signup/v1.0/continue", after: started, [("grant_type", "attributes"), ("attributes", "{}")])
        #expect(early["error"]?.string == "verification_required")
        let sent = try next(&browser, "/signup/v1.0/challenge", after: early, [("challenge_type", Self.types)])
        let done = try next(
            &browser, "/signup/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(browser, name))])
        #expect(done["error"] == nil && done["continuation_token"] != nil)
        browser.provider.clearFaults()
        let challenge = try next(
            &browser, "/oauth2/v2.0/challenge", after: try initiate(&browser, name), [("challenge_type", Self.types)])
        #expect(challenge["challenge_type"]?.string == "oob")
        await browser.provider.stop()
    }

    @Test func `A new password: code, rules, polls, tokens, and the old one is over`() async throws {
        var browser = try await BrowserClient()
        browser.provider.bend(Fault(.quirk(.nativeSlowReset)))
        let started = try post(
            &browser, "/resetpassword/v1.0/start",
            [("username", "chien@shop.example"), ("challenge_type", "oob redirect")])
        let sent = try next(
            &browser, "/resetpassword/v1.0/challenge", after: started, [("challenge_type", "oob redirect")])
        let verified = try next(
            &browser, "/resetpassword/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(browser))])
        let used = try next(&browser, "/resetpassword/v1.0/submit", after: verified, [("new_password", "sandbox")])
        #expect(used["suberror"]?.string == "password_recently_used")
        var polled = try next(
            &browser, "/resetpassword/v1.0/submit", after: verified, [("new_password", "Beta-decay-1956")])
        #expect(polled["poll_interval"]?.int == 1)
        var statuses: [String?] = []
        for _ in 0..<3 {
            polled = try next(&browser, "/resetpassword/v1.0/poll_completion", after: polled)
            statuses.append(polled["status"]?.string)
        }
        #expect(statuses == ["not_started", "in_progress", "succeeded"])
        #expect(
            try next(&browser, "/oauth2/v2.0/token", after: polled, [("grant_type", "continuation_token")])[
                "access_token"] != nil)
        let challenged = try next(
            &browser, "/oauth2/v2.0/challenge", after: try initiate(&browser), [("challenge_type", Self.types)])
        let old = try next(
            &browser, "/oauth2/v2.0/token", after: challenged, [("grant_type", "password"), ("password", "sandbox")])
        #expect(old["error_codes"]?.array == [50126])
        let new = try next(
            &browser, "/oauth2/v2.0/token", after: challenged,
            [("grant_type", "password"), ("password", "Beta-decay-1956")])
        #expect(new["access_token"] != nil)
        await browser.provider.stop()
    }
}
