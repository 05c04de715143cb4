import Testing

@testable import Sandbox

struct ADFSTests {
    private func tokens(_ browser: inout BrowserClient, scope: String = "openid") throws -> JSON {
        browser.userAgent = "curl/8.0"
        let code = BrowserClient.parameters(browser.authorize("/adfs/oauth2", client: Directory.adfsApp, scope: scope))[
            "code"]
        return try browser.redeem(code, "/adfs/oauth2", client: Directory.adfsApp)
    }

    @Test func `The document names the farm as issuer, with slashes after the endpoints that work`() async throws {
        var browser = try await BrowserClient()
        let document = try browser.json("GET", "/adfs/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == browser.provider.adfsAuthority)
        #expect(document["token_endpoint"]?.string == browser.provider.adfsAuthority + "/oauth2/token/")
        #expect(browser.send("POST", "/adfs/oauth2/token/").body.contains("client_id"))
        #expect(try browser.json("GET", "/adfs/discovery/keys")["keys"]?.array?.count == 1)
        await browser.provider.stop()
    }

    @Test func `An ID token has upn and unique_name, and there is no client_info`() async throws {
        var browser = try await BrowserClient()
        let answer = try tokens(&browser)
        let claims = try BrowserClient.claims(answer["id_token"]?.string)
        #expect(claims["upn"]?.string == "barbara@corp.example" && claims["unique_name"]?.string == "CORP\\barbara")
        #expect(
            claims["iss"]?.string == browser.provider.adfsAuthority && claims["preferred_username"] == nil
                && claims["oid"] == nil)
        #expect(answer["client_info"] == nil && answer["token_type"]?.string == "bearer")
        let access = try BrowserClient.claims(answer["access_token"]?.string)
        #expect(access["iss"]?.string?.hasSuffix("/adfs/services/trust") == true && access["iss"] != claims["iss"])
        await browser.provider.stop()
    }

    @Test func `The refresh token stays the same to its end, and its end is told in MSIS words`() async throws {
        var browser = try await BrowserClient()
        let secret = try tokens(&browser)["refresh_token"]?.string
        let again = try browser.refresh(secret, "/adfs/oauth2", client: Directory.adfsApp)
        #expect(again["access_token"] != nil && again["refresh_token"] == nil)
        try browser.provider.advanceClock(by: 9 * 3600)
        let ended = try browser.refresh(secret, "/adfs/oauth2", client: Directory.adfsApp)
        #expect(
            ended["error"]?.string == "invalid_grant"
                && ended["error_description"]?.string?.hasPrefix("MSIS9615: ") == true)
        await browser.provider.stop()
    }

    @Test func `The name of the domain signs in, by browser and by device code`() async throws {
        var browser = try await BrowserClient()
        let page = browser.authorize("/adfs/oauth2", client: Directory.adfsApp, scope: "openid")
        let wrong = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(page)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
            ])
        #expect(wrong.status == 403 && wrong.header("Location") == nil)
        let done = browser.send(
            "POST", "/interaction",
            [("transaction", BrowserClient.transaction(page)), ("username", "corp\\Edsger"), ("password", "sandbox")])
        #expect(BrowserClient.parameters(done)["code"] != nil && BrowserClient.parameters(done)["iss"] == nil)
        let started = try browser.json(
            "POST", "/adfs/oauth2/devicecode", [("client_id", Directory.adfsApp), ("scope", "openid")])
        #expect(started["verification_uri"]?.string == browser.provider.adfsAuthority + "/oauth2/deviceauth")
        try browser.provider.approve(userCode: started["user_code"]?.string ?? "", username: "barbara@corp.example")
        let polled = try browser.poll(started["device_code"]?.string ?? "", "/adfs/oauth2", client: Directory.adfsApp)
        #expect(try BrowserClient.claims(polled["id_token"]?.string)["upn"]?.string == "barbara@corp.example")
        await browser.provider.stop()
    }
}
