import Testing

@testable import Sandbox

struct B2CTests {
    private static let root = "/tfp/tailspin.example/B2C_1_signin/oauth2/v2.0"
    private static let read = Directory.b2cScopes[0]

    private func begin(
        _ browser: inout BrowserClient, _ root: String = Self.root, scope: String = "openid offline_access",
        more: [(String, String?)] = []
    ) -> SandboxResponse { browser.authorize(root, client: Directory.b2cApp, scope: scope, more: more) }

    private func tokens(
        _ browser: inout BrowserClient, scope: String = "openid offline_access", _ root: String = Self.root
    ) throws -> JSON {
        browser.userAgent = "curl/8.0"
        let code = BrowserClient.parameters(begin(&browser, root, scope: scope))["code"]
        return try browser.redeem(code, root, client: Directory.b2cApp)
    }

    @Test(arguments: B2CForm.allCases)
    func `Each form of the address has its document, with the tenant's issuer and the policy in every endpoint`(
        _ form: B2CForm
    )
        async throws
    {
        var browser = try await BrowserClient()
        let base = browser.provider.baseURL
        let authority = browser.provider.b2cAuthority(policy: "b2c_1_EDIT", form: form)
        let document = try browser.json(
            "GET", authority.dropFirst(base.count) + "/v2.0/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == "\(base)/\(Directory.b2cTenant.id)/v2.0/")
        for name in ["authorization_endpoint", "token_endpoint", "end_session_endpoint", "jwks_uri"] {
            #expect(document[name]?.string?.hasPrefix("\(base)/\(form.prefix)tailspin.example/b2c_1_edit/") == true)
        }
        #expect(document["device_authorization_endpoint"] == nil)
        await browser.provider.stop()
    }

    @Test func `A policy or a tenant that is not there is no endpoint`() async throws {
        var browser = try await BrowserClient()
        #expect(
            browser.send("GET", "/tfp/tailspin.example/B2C_1_other/v2.0/.well-known/openid-configuration").status == 404
        )
        #expect(
            browser.send("GET", "/te/contoso.example/B2C_1_signin/v2.0/.well-known/openid-configuration").body.contains(
                "AADSTS90002"))
        let oldest = browser.send("GET", "/tailspin.example/v2.0/.well-known/openid-configuration?p=b2c_1_signin")
        #expect(oldest.body.contains("/tailspin.example/b2c_1_signin/oauth2/v2.0/token"))
        await browser.provider.stop()
    }

    @Test func `Each policy makes an account of its own, named by emails and tfp or acr`() async throws {
        var browser = try await BrowserClient()
        let answer = try tokens(&browser)
        let info = try JSON(
            parsing: String(
                decoding: try #require(Base64URLCoding.decode(answer["client_info"]?.string ?? "")), as: UTF8.self))
        let claims = try BrowserClient.claims(answer["id_token"]?.string)
        let oid = try #require(claims["oid"]?.string)
        #expect(info["uid"]?.string == oid + "-b2c_1_signin" && info["utid"]?.string == Directory.b2cTenant.id)
        #expect(
            claims["emails"]?.array == ["rosalind@mail.example"] && claims["preferred_username"] == nil
                && claims["tid"] == nil)
        #expect(claims["iss"]?.string == "\(browser.provider.baseURL)/\(Directory.b2cTenant.id)/v2.0/")
        #expect(claims["tfp"]?.string == "B2C_1_signin" && claims["acr"] == nil && claims["nonce"]?.string == "a-nonce")
        let legacy = try tokens(&browser, "/te/tailspin.example/B2C_1_signin/oauth2/v2.0")
        #expect(try BrowserClient.claims(legacy["id_token"]?.string)["acr"]?.string == "b2c_1_signin")
        await browser.provider.stop()
    }

    @Test func `There is an access token only for an API's scope or the client id`() async throws {
        var browser = try await BrowserClient()
        let bare = try tokens(&browser)
        #expect(
            bare["access_token"] == nil && bare["expires_in"] == nil && bare["id_token"] != nil
                && bare["refresh_token"] != nil)
        #expect(bare["scope"]?.string == "" && bare["id_token_expires_in"]?.int == 3600)
        let api = try tokens(&browser, scope: "openid \(Self.read)")
        #expect(
            try BrowserClient.claims(api["access_token"]?.string)["scp"]?.string == "read"
                && api["refresh_token"] == nil)
        let own = try tokens(&browser, scope: "openid offline_access \(Directory.b2cApp)")
        #expect(try BrowserClient.claims(own["access_token"]?.string)["aud"]?.string == Directory.b2cApp)
        #expect(own["scope"]?.string?.split(separator: " ").contains(Substring(Directory.b2cApp)) == true)
        let stranger = begin(&browser, scope: "openid https://elsewhere.example/read")
        #expect(BrowserClient.parameters(stranger)["error_description"]?.hasPrefix("AADB2C90205: ") == true)
        let two = begin(&browser, scope: "\(Directory.b2cApp) \(Self.read)")
        #expect(BrowserClient.parameters(two)["error_description"]?.hasPrefix("AADB2C90146: ") == true)
        await browser.provider.stop()
    }

    @Test func `A refresh token of another policy is AADB2C90088`() async throws {
        var browser = try await BrowserClient()
        let secret = try tokens(&browser)["refresh_token"]?.string
        let other = try browser.refresh(
            secret, "/tfp/tailspin.example/B2C_1_edit/oauth2/v2.0", client: Directory.b2cApp)
        #expect(other["error"]?.string == "invalid_grant" && other["error_codes"] == nil)
        #expect(other["error_description"]?.string?.hasPrefix("AADB2C90088: ") == true)
        #expect(
            other["error_description"]?.string?.contains("Actual Value : B2C_1_signin and Expected Value : B2C_1_edit")
                == true)
        let again = try browser.refresh(
            secret, Self.root, client: Directory.b2cApp, scope: "openid offline_access \(Self.read)")
        #expect(again["access_token"] != nil && again["refresh_token"]?.string != secret)
        browser.provider.revoke(username: "rosalind@mail.example")
        let revoked = try browser.refresh(secret, Self.root, client: Directory.b2cApp)
        #expect(revoked["error_description"]?.string?.hasPrefix("AADB2C90129: ") == true)
        await browser.provider.stop()
    }

    @Test func `Forgotten password and cancel come back as access_denied with their numbers`() async throws {
        var browser = try await BrowserClient()
        let page = begin(&browser)
        #expect(page.body.contains("Forgot your password?") && page.body.contains("lise@mail.example"))
        #expect(!page.body.contains("ada@contoso.example"))
        let forgot = BrowserClient.parameters(
            browser.send("POST", "/interaction", [("transaction", BrowserClient.transaction(page)), ("forgot", "1")]))
        #expect(forgot["error"] == "access_denied" && forgot["state"] == "a state")
        #expect(forgot["error_description"]?.hasPrefix("AADB2C90118: ") == true)
        let second = begin(&browser)
        let cancel = browser.send(
            "POST", "/interaction", [("transaction", BrowserClient.transaction(second)), ("cancel", "1")])
        #expect(BrowserClient.parameters(cancel)["error_description"]?.hasPrefix("AADB2C90091: ") == true)
        let none = begin(&browser, more: [("prompt", "none")])
        #expect(BrowserClient.parameters(none)["error"] == "login_required")
        await browser.provider.stop()
    }

    @Test func `The other policies reset a password, edit a profile and make an account`() async throws {
        var browser = try await BrowserClient()
        func go(_ policy: String, _ steps: [[(String, String?)]]) throws -> JSON {
            let root = "/tfp/tailspin.example/\(policy)/oauth2/v2.0"
            var answer = begin(&browser, root, more: [("prompt", "login")])
            for step in steps {
                answer = browser.send(
                    "POST", "/interaction", [("transaction", BrowserClient.transaction(answer))] + step)
            }
            return try BrowserClient.claims(
                browser.redeem(BrowserClient.parameters(answer)["code"], root, client: Directory.b2cApp)["id_token"]?
                    .string)
        }
        let reset = try go(
            Directory.resetPolicy, [[("username", "lise@mail.example"), ("new_password", "longer than before")]])
        #expect(reset["emails"]?.array == ["lise@mail.example"])
        let edited = try go(
            Directory.editPolicy,
            [
                [("username", "lise@mail.example"), ("password", "sandbox")],
                [("username", "lise@mail.example"), ("password", "longer than before")],
                [("display_name", "Elise Meitner"), ("profile", "save")],
            ])
        #expect(edited["name"]?.string == "Elise Meitner" && edited["tfp"]?.string == "B2C_1_edit")
        let made = try go(
            Directory.signUpPolicy,
            [
                [("username", "rosalind@mail.example"), ("new_password", "a new password")],
                [("username", "maria@mail.example"), ("display_name", "Maria Mayer"), ("new_password", "short")],
                [
                    ("username", "maria@mail.example"), ("display_name", "Maria Mayer"),
                    ("new_password", "a new password"),
                ],
            ])
        #expect(made["name"]?.string == "Maria Mayer" && made["newUser"]?.bool == true)
        browser.cookie = nil
        let back = try go(
            Directory.signInPolicy, [[("username", "maria@mail.example"), ("password", "a new password")]])
        #expect(back["oid"] == made["oid"] && back["newUser"] == nil)
        await browser.provider.stop()
    }
}
