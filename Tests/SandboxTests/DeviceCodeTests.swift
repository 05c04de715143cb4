import Testing

@testable import Sandbox

struct DeviceCodeTests {
    private let entra = "/common/oauth2/v2.0"
    private let scope = "User.Read openid profile offline_access"

    @Test func `One POST signs a device in, and the code is good once`() async throws {
        var browser = try await BrowserClient()
        let codes = try browser.startDevice(entra, "/devicecode", client: Directory.tryOut, scope: scope)
        #expect(
            try browser.poll(codes.device, entra, client: Directory.tryOut)["error"]?.string == "authorization_pending")
        let page = browser.send(
            "POST", "/device",
            [
                ("user_code", codes.user.lowercased()), ("username", "ada@contoso.example"), ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(page.body.contains("You can close this window"))
        let tokens = try browser.poll(codes.device, entra, client: Directory.tryOut)
        #expect(tokens["scope"]?.string == "openid profile User.Read")
        #expect(tokens["refresh_token"] != nil)
        #expect(
            try browser.poll(codes.device, entra, client: Directory.tryOut)["error"]?.string == "bad_verification_code")
        await browser.provider.stop()
    }

    @Test func `The pages ask for what a POST leaves out`() async throws {
        var browser = try await BrowserClient()
        let codes = try browser.startDevice(entra, "/devicecode", client: Directory.tryOut, scope: scope)
        let signIn = browser.send("POST", "/common/oauth2/deviceauth", [("user_code", codes.user)])
        #expect(signIn.body.contains("name=\"password\""))
        let wrong = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "taro@contoso.example"),
                ("password", "guess"),
            ])
        #expect(wrong.body.contains("AADSTS50126"))
        let consent = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "taro@contoso.example"),
                ("password", "sandbox"),
            ])
        #expect(consent.body.contains("type=\"checkbox\" name=\"scope\" value=\"User.Read\""))
        let done = browser.send(
            "POST", "/interaction", [("transaction", BrowserClient.transaction(consent)), ("consent", "accept")])
        #expect(done.body.contains("You can close this window"))
        #expect(
            try BrowserClient.claims(browser.poll(codes.device, entra, client: Directory.tryOut)["id_token"]?.string)[
                "name"]?.string == "山田 太郎")
        await browser.provider.stop()
    }

    @Test func `The plain issuer minds who polls too fast, and asks for five seconds more each time`() async throws {
        var browser = try await BrowserClient(BrowserClient.interval(5))
        let codes = try browser.startDevice("/oidc", "/device", client: Directory.labCLI, scope: "openid notes.read")
        #expect(
            try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["error"]?.string
                == "authorization_pending")
        #expect(try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["error"]?.string == "slow_down")
        try browser.provider.advanceClock(by: 6)
        #expect(try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["error"]?.string == "slow_down")
        try browser.provider.advanceClock(by: 16)
        #expect(
            try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["error"]?.string
                == "authorization_pending")
        try browser.provider.approve(userCode: codes.user, username: "hedy@lab.example")
        #expect(try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["id_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `verification_uri_complete is the plain issuer's alone`() async throws {
        var browser = try await BrowserClient()
        let plain = try browser.json("POST", "/oidc/device", [("client_id", Directory.labCLI), ("scope", "openid")])
        #expect(plain["verification_uri_complete"]?.string?.contains(plain["user_code"]?.string ?? "?") == true)
        let shaped = try browser.json(
            "POST", entra + "/devicecode", [("client_id", Directory.tryOut), ("scope", scope)])
        #expect(shaped["verification_uri_complete"] == nil)
        #expect(shaped["message"]?.string?.contains(shaped["user_code"]?.string ?? "?") == true)
        #expect(shaped["expires_in"]?.int == 900 && shaped["interval"]?.int == 5)
        await browser.provider.stop()
    }

    @Test func `A refusal and an expiry end the polling, each in its provider's words`() async throws {
        var browser = try await BrowserClient(BrowserClient.interval(0))
        let first = try browser.startDevice(entra, "/devicecode", client: Directory.tryOut, scope: scope)
        _ = try browser.control("POST", "approve", #"{"user_code":"\#(first.user)","deny":true}"#)
        #expect(
            try browser.poll(first.device, entra, client: Directory.tryOut)["error"]?.string == "authorization_declined"
        )
        let second = try browser.startDevice("/oidc", "/device", client: Directory.labCLI, scope: "openid")
        let third = try browser.startDevice("/oidc", "/device", client: Directory.labCLI, scope: "openid")
        try browser.provider.approve(userCode: second.user, username: "", deny: true)
        #expect(try browser.poll(second.device, "/oidc", client: Directory.labCLI)["error"]?.string == "access_denied")
        try browser.provider.advanceClock(by: 901)
        #expect(try browser.poll(third.device, "/oidc", client: Directory.labCLI)["error"]?.string == "expired_token")
        await browser.provider.stop()
    }

    @Test func `An approval may grant less than was asked`() async throws {
        var browser = try await BrowserClient()
        let codes = try browser.startDevice(
            "/oidc", "/device", client: Directory.labCLI, scope: "openid notes.read notes.write")
        try browser.provider.approve(userCode: codes.user, username: "emmy@lab.example", scopes: ["notes.read"])
        #expect(
            try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["scope"]?.string == "openid notes.read")
        await browser.provider.stop()
    }
}
