import Testing

@testable import Sandbox

/// Native authentication of Entra External ID.
struct NativeSignInTests {
    static let root = "/woodgrove.example"
    static let types = "oob password redirect"

    private func post(_ visitor: inout BrowserClient, _ path: String, _ pairs: [(String, String?)]) throws -> JSON {
        try visitor.json("POST", Self.root + path, [("client_id", Directory.ciamApp)] + pairs)
    }

    /// The next step with the token of the one before.
    private func next(
        _ visitor: inout BrowserClient, _ path: String, after answer: JSON, _ pairs: [(String, String?)] = []
    ) throws -> JSON {
        try post(&visitor, path, [("continuation_token", answer["continuation_token"]?.string)] + pairs)
    }

    private func initiate(
        _ visitor: inout BrowserClient, _ username: String = "chien@shop.example", capabilities: String? = nil
    ) throws -> JSON {
        try post(
            &visitor, "/oauth2/v2.0/initiate",
            [("username", username), ("challenge_type", Self.types), ("capabilities", capabilities)])
    }

    private func code(_ visitor: BrowserClient, _ address: String = "chien@shop.example") -> String? {
        visitor.provider.codes(mailedTo: address).first
    }

    @Test func `A password signs in, and each continuation token works once`() async throws {
        var visitor = try await BrowserClient()
        let started = try initiate(&visitor)
        let challenged = try next(&visitor, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(challenged["challenge_type"]?.string == "password")
        let stale = try next(&visitor, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(stale["error"]?.string == "invalid_grant")
        let wrong = try next(
            &visitor, "/oauth2/v2.0/token", after: challenged, [("grant_type", "password"), ("password", "no")])
        #expect(wrong["error"]?.string == "invalid_grant" && wrong["error_codes"]?.array == [50126])
        let form: [(String, String?)] = [("grant_type", "password"), ("password", "sandbox"), ("client_info", "true")]
        let tokens = try next(&visitor, "/oauth2/v2.0/token", after: challenged, form)
        #expect(try BrowserClient.claims(tokens["id_token"]?.string)["tid"]?.string == Directory.ciamTenant.id)
        #expect(tokens["refresh_token"] != nil && tokens["client_info"] != nil)
        #expect(try next(&visitor, "/oauth2/v2.0/token", after: challenged, form)["error"]?.string == "invalid_grant")
        #expect(visitor.provider.requests("native:oauth2/initiate") == 1)
        await visitor.provider.stop()
    }

    @Test func `A code that only the mailbox knows signs in; another is invalid_oob_value, and five of them end it`()
        async throws
    {
        var visitor = try await BrowserClient()
        let started = try initiate(&visitor)
        let sent = try next(&visitor, "/oauth2/v2.0/challenge", after: started, [("challenge_type", "oob redirect")])
        #expect(sent["challenge_type"]?.string == "oob" && sent["code_length"]?.int == NativeFlow.codeLength)
        #expect(sent["challenge_target_label"]?.string == "c***n@shop.example")
        let mailed = try visitor.json("GET", "/_sandbox/mailbox", [("user", "chien@shop.example")])["mails"]?.array?
            .first?["code"]?.string
        #expect(mailed != nil && mailed == code(visitor))
        #expect(visitor.send("GET", "/mailbox").body.contains(mailed ?? "none"))
        let bad: [(String, String?)] = [("grant_type", "oob"), ("oob", "x")]
        #expect(try next(&visitor, "/oauth2/v2.0/token", after: sent, bad)["suberror"]?.string == "invalid_oob_value")
        let tokens = try next(&visitor, "/oauth2/v2.0/token", after: sent, [("grant_type", "oob"), ("oob", mailed)])
        #expect(tokens["access_token"] != nil)

        let again = try next(
            &visitor, "/oauth2/v2.0/challenge", after: try initiate(&visitor), [("challenge_type", "oob redirect")])
        for _ in 0..<NativeFlow.attempts { _ = try next(&visitor, "/oauth2/v2.0/token", after: again, bad) }
        let over = try next(
            &visitor, "/oauth2/v2.0/token", after: again, [("grant_type", "oob"), ("oob", code(visitor))])
        #expect(over["error"]?.string == "expired_token")
        await visitor.provider.stop()
    }

    @Test func `A new code gives no more attempts: five wrong ones end it, however many codes were sent`() async throws
    {
        var visitor = try await BrowserClient()
        var step = try initiate(&visitor)
        let types: [(String, String?)] = [("challenge_type", "oob redirect")]
        for _ in 0..<NativeFlow.attempts {
            step = try next(&visitor, "/oauth2/v2.0/challenge", after: step, types)
            let wrong = try next(&visitor, "/oauth2/v2.0/token", after: step, [("grant_type", "oob"), ("oob", "x")])
            #expect(wrong["suberror"]?.string == "invalid_oob_value")
        }
        #expect(try next(&visitor, "/oauth2/v2.0/challenge", after: step, types)["error"]?.string == "expired_token")
        await visitor.provider.stop()
    }

    @Test func `Errors: nobody, another's tenant, no redirect, an old token, a browser`() async throws {
        var visitor = try await BrowserClient()
        let nobody = try initiate(&visitor, "nobody@shop.example")
        #expect(nobody["error"]?.string == "user_not_found" && nobody["error_codes"]?.array == [50034])
        #expect(try initiate(&visitor, "ada@contoso.example")["error"]?.string == "user_not_found")
        let types = try post(
            &visitor, "/oauth2/v2.0/initiate", [("username", "chien@shop.example"), ("challenge_type", "oob")])
        #expect(types["error"]?.string == "unsupported_challenge_type")
        let started = try initiate(&visitor)
        try visitor.provider.advanceClock(by: NativeFlow.lifetime)
        let old = try next(&visitor, "/oauth2/v2.0/challenge", after: started, [("challenge_type", Self.types)])
        #expect(old["error"]?.string == "expired_token")
        let only = try next(
            &visitor, "/oauth2/v2.0/challenge", after: try initiate(&visitor), [("challenge_type", "redirect")])
        #expect(only["challenge_type"]?.string == "redirect")
        visitor.provider.bend(Fault(.habit(.nativeRedirect)))
        #expect(try initiate(&visitor)["challenge_type"]?.string == "redirect")
        let employee = try visitor.json(
            "POST", "/contoso.example/oauth2/v2.0/initiate",
            [("client_id", Directory.tryOut), ("username", "ada@contoso.example")])
        #expect(employee["error"]?.string == "invalid_request")
        await visitor.provider.stop()
    }

    @Test func `A second factor: mfa_required, methods, a code, tokens; without the capability a browser`() async throws
    {
        var visitor = try await BrowserClient()
        try visitor.provider.demandContext("c1", tenant: "woodgrove.example")
        func first(_ capabilities: String?) throws -> JSON {
            let challenged = try next(
                &visitor, "/oauth2/v2.0/challenge", after: try initiate(&visitor, capabilities: capabilities),
                [("challenge_type", Self.types)])
            return try next(
                &visitor, "/oauth2/v2.0/token", after: challenged,
                [("grant_type", "password"), ("password", "sandbox")])
        }
        #expect(try first(nil)["challenge_type"]?.string == "redirect")
        let wanted = try first("mfa_required registration_required")
        #expect(wanted["suberror"]?.string == "mfa_required" && wanted["error_codes"]?.array == [50076])
        let blind = try next(&visitor, "/oauth2/v2.0/challenge", after: wanted, [("challenge_type", Self.types)])
        #expect(blind["suberror"]?.string == "introspect_required")
        let methods = try next(&visitor, "/oauth2/v2.0/introspect", after: wanted)
        let method = try #require(methods["methods"]?.array?.first)
        let sent = try next(
            &visitor, "/oauth2/v2.0/challenge", after: methods,
            [("id", method["id"]?.string), ("challenge_type", Self.types)])
        let tokens = try next(
            &visitor, "/oauth2/v2.0/token", after: sent, [("grant_type", "mfa_oob"), ("oob", code(visitor))])
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c1"])
        await visitor.provider.stop()
    }

    @Test func `Signing up: code, password, attributes, tokens; then the name is taken`() async throws {
        var visitor = try await BrowserClient()
        visitor.provider.bend(Fault(.habit(.nativeAttributes)))
        let name = "rita@shop.example"
        let start: [(String, String?)] = [("username", name), ("challenge_type", Self.types)]
        let started = try post(&visitor, "/signup/v1.0/start", start)
        let sent = try next(&visitor, "/signup/v1.0/challenge", after: started, [("challenge_type", Self.types)])
        let verified = try next(
            &visitor, "/signup/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(visitor, name))])
        #expect(verified["error"]?.string == "credential_required")
        let asked = try next(&visitor, "/signup/v1.0/challenge", after: verified, [("challenge_type", Self.types)])
        #expect(asked["challenge_type"]?.string == "password")
        for (password, rule) in [
            ("Ab1!", "password_too_short"), ("abcdefgh", "password_too_weak"), ("My-Password-1", "password_banned"),
            (String(repeating: "aB1!", count: 65), "password_too_long"), ("aB1!\u{7}xyzw", "password_is_invalid"),
        ] {
            let refused = try next(
                &visitor, "/signup/v1.0/continue", after: asked, [("grant_type", "password"), ("password", password)])
            #expect(refused["error"]?.string == "invalid_grant" && refused["suberror"]?.string == rule)
        }
        let good: [(String, String?)] = [("grant_type", "password"), ("password", "Correct-horse-7")]
        let wanting = try next(&visitor, "/signup/v1.0/continue", after: asked, good)
        #expect(wanting["error"]?.string == "attributes_required" && wanting["required_attributes"]?.array?.count == 2)
        let bad = try next(
            &visitor, "/signup/v1.0/continue", after: wanting,
            [("grant_type", "attributes"), ("attributes", #"{"shoeSize":"9"}"#)])
        #expect(bad["suberror"]?.string == "attribute_validation_failed")
        let done = try next(
            &visitor, "/signup/v1.0/continue", after: wanting,
            [("grant_type", "attributes"), ("attributes", #"{"displayName":"Rita","city":"Turin"}"#)])
        let tokens = try next(
            &visitor, "/oauth2/v2.0/token", after: done, [("grant_type", "continuation_token"), ("username", name)])
        #expect(try BrowserClient.claims(tokens["id_token"]?.string)["name"]?.string == "Rita")
        #expect(try post(&visitor, "/signup/v1.0/start", start)["error"]?.string == "user_already_exists")
        await visitor.provider.stop()
    }

    @Test func `Whoever signs up with codes has no password, and an unverified address has no account`() async throws {
        var visitor = try await BrowserClient()
        visitor.provider.bend(Fault(.habit(.nativeCodes)))
        let name = "lynn@shop.example"
        let started = try post(&visitor, "/signup/v1.0/start", [("username", name), ("challenge_type", Self.types)])
        let early = try next(
            &visitor, "/signup/v1.0/continue", after: started, [("grant_type", "attributes"), ("attributes", "{}")])
        #expect(early["error"]?.string == "verification_required")
        let sent = try next(&visitor, "/signup/v1.0/challenge", after: early, [("challenge_type", Self.types)])
        let done = try next(
            &visitor, "/signup/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(visitor, name))])
        #expect(done["error"] == nil && done["continuation_token"] != nil)
        visitor.provider.straighten()
        let challenge = try next(
            &visitor, "/oauth2/v2.0/challenge", after: try initiate(&visitor, name), [("challenge_type", Self.types)])
        #expect(challenge["challenge_type"]?.string == "oob")
        await visitor.provider.stop()
    }

    @Test func `A new password: code, rules, polls, tokens, and the old one is over`() async throws {
        var visitor = try await BrowserClient()
        visitor.provider.bend(Fault(.habit(.nativeSlowReset)))
        let started = try post(
            &visitor, "/resetpassword/v1.0/start",
            [("username", "chien@shop.example"), ("challenge_type", "oob redirect")])
        let sent = try next(
            &visitor, "/resetpassword/v1.0/challenge", after: started, [("challenge_type", "oob redirect")])
        let verified = try next(
            &visitor, "/resetpassword/v1.0/continue", after: sent, [("grant_type", "oob"), ("oob", code(visitor))])
        let used = try next(&visitor, "/resetpassword/v1.0/submit", after: verified, [("new_password", "sandbox")])
        #expect(used["suberror"]?.string == "password_recently_used")
        var polled = try next(
            &visitor, "/resetpassword/v1.0/submit", after: verified, [("new_password", "Beta-decay-1956")])
        #expect(polled["poll_interval"]?.int == 1)
        var statuses: [String?] = []
        for _ in 0..<3 {
            polled = try next(&visitor, "/resetpassword/v1.0/poll_completion", after: polled)
            statuses.append(polled["status"]?.string)
        }
        #expect(statuses == ["not_started", "in_progress", "succeeded"])
        #expect(
            try next(&visitor, "/oauth2/v2.0/token", after: polled, [("grant_type", "continuation_token")])[
                "access_token"] != nil)
        let challenged = try next(
            &visitor, "/oauth2/v2.0/challenge", after: try initiate(&visitor), [("challenge_type", Self.types)])
        let old = try next(
            &visitor, "/oauth2/v2.0/token", after: challenged, [("grant_type", "password"), ("password", "sandbox")])
        #expect(old["error_codes"]?.array == [50126])
        let new = try next(
            &visitor, "/oauth2/v2.0/token", after: challenged,
            [("grant_type", "password"), ("password", "Beta-decay-1956")])
        #expect(new["access_token"] != nil)
        await visitor.provider.stop()
    }
}
