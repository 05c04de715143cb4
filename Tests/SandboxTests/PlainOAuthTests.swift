import Foundation
import Testing

@testable import Sandbox

struct PlainOAuthTests {
    private let root = "/as/one"

    private func open(_ quirks: Quirk...) async throws -> BrowserClient {
        var browser = try await BrowserClient(BrowserClient.interval(0))
        browser.userAgent = "curl/8.0"
        for quirk in quirks { browser.provider.bend(Fault(.quirk(quirk))) }
        return browser
    }

    private func authorize(
        _ browser: inout BrowserClient, _ root: String = "/as/one", client: String = Directory.oauthPublic,
        scope: String = "profile notes.read", more: [(String, String?)] = []
    ) -> SandboxResponse { browser.authorize(root, client: client, scope: scope, more: more) }

    private func signIn(
        _ browser: inout BrowserClient, _ root: String = "/as/one", client: String = Directory.oauthPublic,
        scope: String = "profile notes.read", more: [(String, String?)] = []
    ) throws -> JSON {
        let code = BrowserClient.parameters(
            authorize(&browser, root, client: client, scope: scope, more: more))["code"]
        return try browser.redeem(code, root, client: client)
    }

    private func get(_ browser: BrowserClient, _ path: String, _ token: String?) -> SandboxResponse {
        browser.provider.answer(
            SandboxRequest("GET", path, headers: token.map { ["authorization": "Bearer \($0)"] } ?? [:]))
    }

    @Test func `The only document is RFC 8414's, with the issuer's path inserted`() async throws {
        var browser = try await open()
        let document = try browser.json("GET", "/.well-known/oauth-authorization-server/as/one")
        #expect(document["issuer"]?.string == "\(browser.provider.baseURL)/as/one")
        #expect(document["jwks_uri"] == nil && document["id_token_signing_alg_values_supported"] == nil)
        #expect(document["introspection_endpoint"] != nil)
        for path in [
            "/as/one/.well-known/openid-configuration", "/as/one/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration/as/one",
        ] { #expect(browser.send("GET", path).status == 404, "\(path)") }
        await browser.provider.stop()
    }

    @Test func `A document may have only what RFC 8414 requires, or none of the optional endpoints`() async throws {
        var sparse = try await open(.sparseMetadata)
        #expect(try sparse.json("GET", "/.well-known/oauth-authorization-server/as/one").members?.count == 4)
        await sparse.provider.stop()
        var bare = try await open(.noUserinfo, .noIntrospection, .noRevocation)
        let document = try bare.json("GET", "/.well-known/oauth-authorization-server/as/one")
        for name in ["userinfo", "introspect", "revoke"] { #expect(bare.send("POST", "/as/one/" + name).status == 404) }
        for name in ["userinfo", "introspection", "revocation"] { #expect(document[name + "_endpoint"] == nil) }
        await bare.provider.stop()
    }

    @Test func `Tokens are opaque, and OpenID's scopes are unknown`() async throws {
        var browser = try await open()
        let tokens = try signIn(&browser)
        let token = try #require(tokens["access_token"]?.string)
        #expect(!token.contains(".") && tokens["id_token"] == nil && tokens["refresh_token"] != nil)
        #expect(try JSON(parsing: get(browser, "/as/one/userinfo", token).body)["sub"]?.string == "hedy@lab.example")
        #expect(
            try JSON(parsing: get(browser, "/as/one/api/notes", token).body)["scope"]?.string == "profile notes.read")
        for scope in ["openid", "notes.read offline_access"] {
            #expect(BrowserClient.parameters(authorize(&browser, scope: scope))["error"] == "invalid_scope")
        }
        await browser.provider.stop()
    }

    @Test func `Each client authenticates with its own method, and Basic is form-encoded first`() async throws {
        var browser = try await open()
        func refused(_ client: String, _ header: String?, _ more: [(String, String?)] = []) throws -> String? {
            let code = BrowserClient.parameters(authorize(&browser, client: client))["code"]
            browser.headers = header.map { ["authorization": "Basic " + Data($0.utf8).base64EncodedString()] } ?? [:]
            defer { browser.headers = [:] }
            return try browser.json(
                "POST", "/as/one/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", client), ("code", code),
                    ("redirect_uri", "http://localhost:49152"), ("code_verifier", BrowserClient.verifier),
                ] + more)["error"]?.string
        }
        let basic = Directory.oauthBasic
        #expect(try refused(basic, "\(basic):basic+secret%3A%2B%2F%251") == nil)
        #expect(try refused(basic, "\(basic):basic secret:+/%1") == "invalid_client")
        #expect(try refused(basic, nil, [("client_secret", "basic secret:+/%1")]) == "invalid_client")
        #expect(try refused(basic, nil) == "invalid_client")
        #expect(try refused("oauth-post", nil, [("client_secret", "post&secret=2")]) == nil)
        #expect(try refused("oauth-post", "oauth-post:post%26secret%3D2") == "invalid_client")
        #expect(
            try refused("oauth-post", "oauth-post:post%26secret%3D2", [("client_secret", "post&secret=2")])
                == "invalid_request")
        #expect(try refused(Directory.oauthPublic, nil) == nil)
        await browser.provider.stop()
    }

    @Test func `Refresh tokens rotate, stay, or do not exist`() async throws {
        var browser = try await open()
        let first = try signIn(&browser)
        let second = try browser.refresh(first["refresh_token"]?.string, root, client: Directory.oauthPublic)
        #expect(second["refresh_token"]?.string != nil && second["refresh_token"] != first["refresh_token"])
        let constant = try signIn(&browser, client: Directory.oauthConstant)["refresh_token"]?.string
        for _ in 0..<2 {
            let next = try browser.refresh(constant, root, client: Directory.oauthConstant)
            #expect(next["access_token"] != nil && next["refresh_token"] == nil)
        }
        let brief = try signIn(&browser, client: Directory.oauthBrief)
        #expect(brief["refresh_token"] == nil && brief["expires_in"]?.int == 3600)
        let endless = try signIn(&browser, client: Directory.oauthEndless)
        #expect(endless["refresh_token"] == nil && endless["expires_in"] == nil)
        try browser.provider.advanceClock(by: 3601)
        #expect(get(browser, "/as/one/api/notes", brief["access_token"]?.string).status == 401)
        #expect(get(browser, "/as/one/api/notes", endless["access_token"]?.string).status == 200)
        await browser.provider.stop()
    }

    @Test func `Two servers on one host do not know each other's tokens, and a misplaced one is recorded`() async throws
    {
        var browser = try await open()
        let tokens = try signIn(&browser)
        let access = tokens["access_token"]?.string
        #expect(get(browser, "/as/two/userinfo", access).status == 401)
        #expect(browser.provider.misplacedTokens == ["userinfo \(browser.provider.baseURL)/as/two"])
        #expect(
            try browser.refresh(tokens["refresh_token"]?.string, "/as/two", client: Directory.oauthPublic)["error"]?
                .string == "invalid_grant")
        #expect(get(browser, "/api/v3/user", access).status == 403)
        #expect(get(browser, "/as/one/userinfo", access).status == 200)
        #expect(browser.provider.requests("as/two:token:refresh_token") == 1)
        #expect(browser.provider.requests("as/one:token:refresh_token") == 0)
        #expect(browser.provider.misplacedTokens.count == 3)
        await browser.provider.stop()
    }

    @Test func `A client secret at another server, or in an address, is recorded`() async throws {
        var browser = try await open()
        let secret = ("client_secret", Optional("post&secret=2"))
        let form = [("client_id", Optional(Directory.oauthPost)), secret, ("grant_type", "refresh_token")]
        _ = browser.send("POST", "/as/two/token", form)
        #expect(browser.provider.misplacedTokens.isEmpty)
        _ = browser.send("POST", "/login/oauth/access_token", form)
        _ = authorize(&browser, client: Directory.oauthPost, more: [secret])
        let base = browser.provider.baseURL
        #expect(browser.provider.misplacedTokens == ["token \(base)/login/oauth", "authorize \(base)/as/one"])
        await browser.provider.stop()
    }

    @Test func `A revocation at the control endpoint also ends tokens without an end`() async throws {
        var browser = try await open()
        let token = try signIn(&browser, client: Directory.oauthEndless)["access_token"]?.string
        #expect(browser.provider.revoke(username: "hedy@lab.example", client: Directory.oauthEndless) == 1)
        #expect(get(browser, "/as/one/api/notes", token).status == 401)
        await browser.provider.stop()
    }

    @Test func `A token is good at its resource alone, from authorization to refresh`() async throws {
        var browser = try await open()
        let api = "\(browser.provider.baseURL)/as/one/api"
        func resource(_ path: String) -> [(String, String?)] { [("resource", api + path)] }
        let tokens = try signIn(&browser, more: resource("/notes"))
        func statuses(_ tokens: JSON) -> [Int] {
            ["/notes", "/notes/1", "/notesbook", "/mail"].map {
                get(browser, "/as/one/api" + $0, tokens["access_token"]?.string).status
            }
        }
        #expect(statuses(tokens) == [200, 200, 401, 401])
        func refresh(_ token: JSON?, _ more: [(String, String?)]) throws -> JSON {
            try browser.json(
                "POST", "/as/one/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", Directory.oauthPublic),
                    ("refresh_token", token?.string),
                ] + more)
        }
        let wrong = try refresh(tokens["refresh_token"], resource("/mail"))
        #expect(wrong["error"]?.string == "invalid_target")
        // A refusal does not use the token up.
        let next = try refresh(tokens["refresh_token"], resource("/notes/1"))
        #expect(statuses(next) == [401, 200, 401, 401])
        #expect(statuses(try refresh(next["refresh_token"], [])) == [200, 200, 401, 401])
        for stranger in ["https://elsewhere.example/api", api + "#x", "\(browser.provider.baseURL)/as/two/api"] {
            let refused = BrowserClient.parameters(authorize(&browser, more: [("resource", stranger)]))
            #expect(refused["error"] == "invalid_target", "\(stranger)")
        }
        browser.provider.bend(Fault(.quirk(.resourceRefused)))
        #expect(
            BrowserClient.parameters(authorize(&browser, more: resource("")))["error_description"]?.contains(
                "AADSTS9010010") == true)
        await browser.provider.stop()
    }

    @Test func `Redirects name the issuer, also with an error, unless a quirk says otherwise`() async throws {
        var browser = try await open()
        let issuer = "\(browser.provider.baseURL)/as/one"
        func issuers(_ quirk: Quirk?) -> [String?] {
            browser.provider.clearFaults()
            if let quirk { browser.provider.bend(Fault(.quirk(quirk))) }
            return ["notes.read", "wrong"].map { BrowserClient.parameters(authorize(&browser, scope: $0))["iss"] }
        }
        #expect(issuers(nil) == [issuer, issuer])
        #expect(issuers(.noIssInErrors) == [issuer, nil])
        #expect(issuers(.noIss) == [nil, nil])
        let elsewhere = "\(browser.provider.baseURL)/elsewhere"
        #expect(issuers(.wrongIss) == [elsewhere, elsewhere])
        await browser.provider.stop()
    }

    @Test func `A resource asks for another scope, or for another sign-in`() async throws {
        var browser = try await open()
        #expect(get(browser, "/as/one/api/notes", nil).header("WWW-Authenticate") == "Bearer realm=\"notes\"")
        let weak = try signIn(&browser)["access_token"]?.string
        let admin = get(browser, "/as/one/api/admin", weak)
        #expect(admin.status == 403 && admin.header("WWW-Authenticate")?.contains("scope=\"admin\"") == true)
        let vault = get(browser, "/as/one/api/vault", weak)
        #expect(vault.status == 401)
        #expect(vault.header("WWW-Authenticate")?.contains("insufficient_user_authentication") == true)
        #expect(vault.header("WWW-Authenticate")?.contains("acr_values=\"mfa\"") == true)
        let strong = try signIn(&browser, scope: "admin", more: [("acr_values", "mfa")])
        let next = try browser.refresh(strong["refresh_token"]?.string, root, client: Directory.oauthPublic)
        for token in [strong, next] {
            for name in ["admin", "vault"] {
                #expect(get(browser, "/as/one/api/" + name, token["access_token"]?.string).status == 200)
            }
        }
        await browser.provider.stop()
    }

    @Test func `Introspection needs the client's secret, and tells the end and the audience`() async throws {
        var browser = try await open()
        let api = "\(browser.provider.baseURL)/as/one/api/notes"
        let token = try signIn(&browser, more: [("resource", api)])["access_token"]?.string
        let form = [("client_id", Optional(Directory.oauthPublic)), ("token", token)]
        let told = try browser.json("POST", "/as/one/introspect", form)
        #expect(told["active"]?.bool == true && told["aud"]?.string == api && told["exp"]?.int != nil)
        let post = [("client_id", Optional(Directory.oauthPost)), ("token", token)]
        #expect(browser.send("POST", "/as/one/introspect", post).status == 401)
        #expect(browser.send("POST", "/as/one/revoke", form).status == 200)
        #expect(try browser.json("POST", "/as/one/introspect", form)["active"]?.bool == false)
        await browser.provider.stop()
    }

    @Test func `Revoking a refresh token ends the access tokens of its sign-in`() async throws {
        var browser = try await open()
        let tokens = try signIn(&browser)
        let other = try signIn(&browser)["access_token"]?.string
        let form = [("client_id", Optional(Directory.oauthPublic)), ("token", tokens["refresh_token"]?.string)]
        #expect(browser.send("POST", "/as/one/revoke", form).status == 200)
        #expect(get(browser, "/as/one/api/notes", tokens["access_token"]?.string).status == 401)
        #expect(get(browser, "/as/one/api/notes", other).status == 200)
        await browser.provider.stop()
    }

    @Test func `A device signs in, for a resource`() async throws {
        var browser = try await open()
        let api = "\(browser.provider.baseURL)/as/one/api/notes"
        let codes = try browser.json(
            "POST", "/as/one/device",
            [("client_id", Directory.oauthPublic), ("scope", "notes.read"), ("resource", api)])
        #expect(codes["message"] == nil && codes["verification_uri_complete"] != nil)
        try browser.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "emmy@lab.example")
        let device = try #require(codes["device_code"]?.string)
        let token = try browser.poll(device, root, client: Directory.oauthPublic)["access_token"]?.string
        #expect(get(browser, "/as/one/api/notes", token).status == 200)
        #expect(get(browser, "/as/one/api/mail", token).status == 401)
        await browser.provider.stop()
    }

    // MARK: Registration

    private func register(_ browser: BrowserClient, _ more: String = "", at root: String = "/as/one") throws -> JSON {
        try JSON(
            parsing: browser.provider.answer(
                SandboxRequest(
                    "POST", root + "/register", body: #"{"redirect_uris":["http://localhost"]\#(more)}"#)
            ).body)
    }

    @Test func `Registration gives a secret if it was wanted, and a quirk even if not`() async throws {
        var browser = try await open()
        let none = try register(browser, #","token_endpoint_auth_method":"none""#)
        #expect(none["client_secret"] == nil && none["token_endpoint_auth_method"]?.string == "none")
        #expect(try signIn(&browser, client: none["client_id"]?.string ?? "")["access_token"] != nil)
        // The registration is one of this server.
        #expect(authorize(&browser, "/as/two", client: none["client_id"]?.string ?? "").status == 401)
        // RFC 7591 section 2: the default.
        #expect(try register(browser)["token_endpoint_auth_method"]?.string == "client_secret_basic")
        browser.provider.bend(Fault(.quirk(.registrationSecret)))
        let made = try register(browser, #","token_endpoint_auth_method":"none""#)
        #expect(made["token_endpoint_auth_method"]?.string == "client_secret_post" && made["client_secret"] != nil)
        #expect(try signIn(&browser, client: made["client_id"]?.string ?? "")["error"]?.string == "invalid_client")
        await browser.provider.stop()
    }

    @Test(arguments: ["/as/one", "/oidc"])
    func `A registration is read and deleted with its own token`(_ root: String) async throws {
        let browser = try await open()
        let made = try register(browser, #","token_endpoint_auth_method":"none""#, at: root)
        let path = try #require(made["registration_client_uri"]?.string).dropFirst(browser.provider.baseURL.count)
        #expect(path.hasPrefix(root + "/register/"))
        func manage(_ method: String, _ token: String?) -> SandboxResponse {
            browser.provider.answer(
                SandboxRequest(method, String(path), headers: ["authorization": "Bearer \(token ?? "")"]))
        }
        let token = made["registration_access_token"]?.string
        #expect(manage("GET", "wrong").status == 401 && manage("DELETE", "wrong").status == 401)
        #expect(try JSON(parsing: manage("GET", token).body)["client_id"] == made["client_id"])
        #expect(manage("DELETE", token).status == 204)
        #expect(manage("GET", token).status == 401)
        await browser.provider.stop()
    }

    // MARK: git

    @Test func `A git server learns whether a token came in the scheme that the server's hosts take`() async throws {
        let browser = try await open()
        func token(_ client: String, _ tenant: String = "common", _ scope: String) throws -> String {
            try browser.provider.issue(username: "hedy@lab.example", client: client, tenant: tenant, scope: scope)[
                "access_token"]?.string ?? ""
        }
        func basic(_ user: String, _ token: String) -> String {
            "Basic " + Data("\(user):\(token)".utf8).base64EncodedString()
        }
        func check(_ server: String, _ authorization: String?) -> Int {
            var request = SandboxRequest("GET", "/_sandbox/git?server=\(server)")
            request.headers["authorization"] = authorization
            return browser.provider.answer(request).status
        }
        let gitHub = try token(Directory.gitHubOAuthApp, "common", "repo")
        #expect(check("github", basic("x-access-token", gitHub)) == 200)
        #expect(check("github", basic("", gitHub)) == 401 && check("github", "Bearer \(gitHub)") == 401)
        let google = try token(Directory.googleDesktop, "common", "email")
        #expect(check("google", basic("oauth2accesstoken", google)) == 200)
        #expect(check("google", basic("x-access-token", google)) == 401 && check("github", basic("x", google)) == 401)
        let plain = try token(Directory.oauthPublic, "two", "notes.read")
        #expect(check("as/two", "Bearer \(plain)") == 200 && check("as/two", basic("oauth2", plain)) == 200)
        #expect(check("as/two&scheme=basic", "Bearer \(plain)") == 401)
        #expect(check("as/two&scheme=bearer", basic("oauth2", plain)) == 401)
        #expect(check("as/one", "Bearer \(plain)") == 401 && check("as/two", nil) == 401 && check("no", nil) == 404)
        await browser.provider.stop()
    }
}
