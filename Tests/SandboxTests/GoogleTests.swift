import Foundation
import Testing

@testable import Sandbox

struct GoogleTests {
    private static let secret = "GOCSPX-foyer-sandbox-desktop"
    private static let mail = "https://www.googleapis.com/auth/userinfo.email"

    private func open(auto: String? = nil) async throws -> BrowserClient {
        var options = BrowserClient.interval(0)
        options.auto = auto
        var browser = try await BrowserClient(options)
        browser.userAgent = "curl/8.0"
        return browser
    }

    private func authorize(
        _ browser: inout BrowserClient, scope: String = "openid email", more: [(String, String?)] = []
    )
        -> SandboxResponse
    {
        browser.send(
            "GET", "/google/o/oauth2/v2/auth",
            [
                ("client_id", Directory.googleDesktop), ("redirect_uri", "http://127.0.0.1:49152/any"),
                ("response_type", "code"), ("scope", scope), ("state", "s"), ("nonce", "n"),
            ] + more)
    }

    private func redeem(_ browser: inout BrowserClient, _ answer: SandboxResponse, secret: String? = GoogleTests.secret)
        throws -> JSON
    {
        try browser.json(
            "POST", "/google/token",
            [
                ("client_id", Directory.googleDesktop), ("client_secret", secret), ("grant_type", "authorization_code"),
                ("code", BrowserClient.parameters(answer)["code"]), ("redirect_uri", "http://127.0.0.1:49152/any"),
            ])
    }

    @Test func `The secret of an installed app is required, in the body or as Basic`() async throws {
        var browser = try await open()
        let page = authorize(&browser)
        #expect(try redeem(&browser, page, secret: nil)["error_description"]?.string == "client_secret is missing.")
        #expect(try redeem(&browser, page, secret: "wrong")["error"]?.string == "invalid_client")
        #expect(try redeem(&browser, page)["access_token"]?.string?.hasPrefix("ya29.") == true)
        let code = BrowserClient.parameters(authorize(&browser))["code"]
        let pair = Data("\(Directory.googleDesktop):\(GoogleTests.secret)".utf8).base64EncodedString()
        browser.headers = ["authorization": "Basic \(pair)"]
        let tokens = try browser.json(
            "POST", "/google/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "http://127.0.0.1:49152/any"),
            ])
        #expect(tokens["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `A refresh token comes with the first consent to offline access, or with prompt=consent`() async throws {
        var browser = try await open(auto: "hedy@lab.example")
        let offline = [("access_type", Optional("offline"))]
        #expect(try redeem(&browser, authorize(&browser))["refresh_token"] == nil)
        // The user has consented already.
        #expect(try redeem(&browser, authorize(&browser, more: offline))["refresh_token"] == nil)
        let tokens = try redeem(&browser, authorize(&browser, more: offline + [("prompt", "consent")]))
        let secret = try #require(tokens["refresh_token"]?.string)
        func refresh() throws -> JSON {
            try browser.json(
                "POST", "/google/token",
                [
                    ("client_id", Directory.googleDesktop), ("client_secret", GoogleTests.secret),
                    ("grant_type", "refresh_token"), ("refresh_token", secret),
                ])
        }
        for _ in 0..<2 {
            let next = try refresh()
            #expect(next["access_token"] != nil && next["refresh_token"] == nil)
        }
        browser.provider.bend(
            Fault(
                .error(
                    "invalid_grant", suberror: "invalid_rapt", codes: [], claims: nil, description: nil, status: 400),
                endpoint: "google:token:refresh_token", times: 1))
        let refused = try refresh()
        #expect(refused["error_subtype"]?.string == "invalid_rapt" && refused["error"]?.string == "invalid_grant")
        // Either token ends the grant, and the user consents again.
        let access = try refresh()["access_token"]?.string
        #expect(browser.send("POST", "/google/revoke?token=\(access ?? "")").status == 200)
        #expect(try refresh()["error"]?.string == "invalid_grant")
        #expect(try browser.json("POST", "/google/revoke?token=\(access ?? "")")["error"]?.string == "invalid_token")
        #expect(try redeem(&browser, authorize(&browser, more: offline))["refresh_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `Scopes come back renamed, reordered and reduced, in the redirect as well`() async throws {
        var browser = try await open()
        browser.userAgent = "TestBrowser/1"
        let page = authorize(&browser, scope: "openid profile email https://www.googleapis.com/auth/drive.file")
        let form = [("transaction", BrowserClient.transaction(page))]
        _ = browser.send("POST", "/interaction", form + [("username", "hedy@lab.example"), ("password", "sandbox")])
        let done = browser.send(
            "POST", "/interaction", form + [("consent", "accept"), ("boxes", "1"), ("scope", "email")])
        let back = BrowserClient.parameters(done)
        #expect(back["scope"] == "\(GoogleTests.mail) openid" && back["authuser"] == "0" && back["iss"] == nil)
        let tokens = try redeem(&browser, done)
        #expect(tokens["scope"]?.string == "\(GoogleTests.mail) openid")
        let claims = try BrowserClient.claims(tokens["id_token"]?.string)
        #expect(claims["iss"]?.string == "\(browser.provider.baseURL)/google" && claims["nonce"]?.string == "n")
        #expect(claims["sub"]?.string?.count == 21 && claims["email"]?.string == "hedy@lab.example")
        let token = tokens["access_token"]?.string
        let info = try browser.json("GET", "/google/tokeninfo", [("access_token", token)])
        #expect(info["scope"]?.string == "\(GoogleTests.mail) openid" && info["aud"]?.string == Directory.googleDesktop)
        browser.headers = ["authorization": "Bearer \(token ?? "")"]
        #expect(try browser.json("GET", "/google/v1/userinfo")["sub"] == claims["sub"])
        await browser.provider.stop()
    }

    @Test func `An unknown scope is refused with a page`() async throws {
        var browser = try await open()
        let page = authorize(&browser, scope: "openid offline_access")
        #expect(page.status == 400 && page.header("Location") == nil && page.body.contains("invalid_scope"))
        await browser.provider.stop()
    }

    @Test func `The issuer in ID tokens may lack its scheme`() async throws {
        var browser = try await open()
        browser.provider.bend(Fault(.quirk(.schemelessIssuer)))
        let claims = try BrowserClient.claims(try redeem(&browser, authorize(&browser))["id_token"]?.string)
        #expect(claims["iss"]?.string == "127.0.0.1:\(browser.provider.port)/google")
        await browser.provider.stop()
    }

    @Test func `Its device flow has other names, other statuses and few scopes`() async throws {
        var browser = try await open()
        func start(_ client: String, _ scope: String) -> SandboxResponse {
            browser.send("POST", "/google/device/code", [("client_id", client), ("scope", scope)])
        }
        #expect(start(Directory.googleDesktop, "email").status == 401)
        let mail = start(Directory.googleDevice, "email https://www.googleapis.com/auth/gmail.readonly")
        #expect(mail.status == 400 && mail.body.contains("invalid_scope"))
        let codes = try JSON(parsing: start(Directory.googleDevice, "openid email").body)
        #expect(codes["verification_url"]?.string?.hasSuffix("/google/device") == true)
        #expect(codes["verification_uri"] == nil)
        func poll(secret: String? = "GOCSPX-foyer-sandbox-tv") -> SandboxResponse {
            browser.send(
                "POST", "/google/token",
                [
                    ("client_id", Directory.googleDevice), ("client_secret", secret),
                    ("device_code", codes["device_code"]?.string), ("grant_type", DeviceGrant.grantType),
                ])
        }
        #expect(poll(secret: nil).body.contains("client_secret is missing."))
        let pending = poll()
        #expect(pending.status == 428 && pending.body.contains("authorization_pending"))
        browser.provider.bend(Fault(.denied, times: 1))
        #expect(poll().status == 403)
        try browser.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "emmy@lab.example")
        let tokens = try JSON(parsing: poll().body)
        #expect(tokens["refresh_token"]?.string?.hasPrefix("1//") == true && tokens["id_token"] != nil)
        await browser.provider.stop()
    }
}
