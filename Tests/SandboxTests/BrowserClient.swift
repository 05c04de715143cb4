import FoundationEssentials
import Testing

@testable import Sandbox

/// A client of the sandbox: sends forms, and keeps a cookie as a browser does.
struct BrowserClient {
    let provider: SandboxProvider
    var cookie: String?
    var userAgent = "TestBrowser/1"
    /// Sent with each request; names in lower case.
    var headers: [String: String] = [:]

    init(_ options: SandboxProvider.Options = SandboxProvider.Options()) async throws {
        provider = try await SandboxProvider.start(options)
    }

    static func interval(_ seconds: Int) -> SandboxProvider.Options {
        var options = SandboxProvider.Options()
        options.deviceInterval = seconds
        return options
    }

    mutating func send(_ method: String, _ path: String, _ pairs: [(String, String?)] = []) -> SandboxResponse {
        let form = Form(pairs)
        var request = SandboxRequest(
            method, method == "GET" ? form.appended(to: path) : path,
            headers: ["user-agent": userAgent].merging(headers) { $1 })
        if method != "GET" { request.body = form.encoded }
        if let cookie { request.headers["cookie"] = "\(BrowserSessions.cookieName)=\(cookie)" }
        let answer = provider.answer(request)
        if let set = answer.header("Set-Cookie"),
            let value = set.split(separator: ";").first?.split(separator: "=").last
        {
            cookie = String(value)
        }
        return answer
    }

    mutating func json(_ method: String, _ path: String, _ pairs: [(String, String?)] = []) throws -> JSON {
        try JSON(parsing: send(method, path, pairs).body)
    }

    func control(_ method: String, _ path: String, _ body: String = "") throws -> JSON {
        try JSON(parsing: provider.answer(SandboxRequest(method, "/_sandbox/\(path)", body: body)).body)
    }

    // The pair of RFC 7636 Appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let redirect = "http://127.0.0.1:49152/callback"

    mutating func authorize(
        _ root: String = "/common/oauth2/v2.0", client: String = Directory.tryOut,
        scope: String = "User.Read openid profile offline_access",
        redirect: String = "http://localhost:49152", more: [(String, String?)] = []
    ) -> SandboxResponse {
        send(
            "GET", root + "/authorize",
            [
                ("client_id", client), ("response_type", "code"), ("redirect_uri", redirect), ("scope", scope),
                ("state", "a state"),
                ("nonce", "a-nonce"), ("code_challenge", BrowserClient.challenge), ("code_challenge_method", "S256"),
            ] + more)
    }

    mutating func redeem(
        _ code: String?, _ root: String = "/common/oauth2/v2.0", client: String = Directory.tryOut,
        redirect: String = "http://localhost:49152",
        verifier: String = BrowserClient.verifier
    ) throws -> JSON {
        try json(
            "POST", root + "/token",
            [
                ("grant_type", "authorization_code"), ("client_id", client), ("code", code), ("redirect_uri", redirect),
                ("code_verifier", verifier), ("client_info", "1"),
            ])
    }

    mutating func refresh(
        _ token: String?, _ root: String = "/common/oauth2/v2.0", client: String = Directory.tryOut,
        scope: String? = nil
    ) throws -> JSON {
        try json(
            "POST", root + "/token",
            [
                ("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token), ("scope", scope),
                ("client_info", "1"),
            ])
    }

    mutating func startDevice(_ root: String, _ path: String, client: String, scope: String) throws -> (
        user: String, device: String
    ) {
        let answer = try json("POST", root + path, [("client_id", client), ("scope", scope)])
        return (try #require(answer["user_code"]?.string), try #require(answer["device_code"]?.string))
    }

    mutating func poll(_ code: String, _ root: String, client: String) throws -> JSON {
        try json(
            "POST", root + "/token",
            [("grant_type", DeviceGrant.grantType), ("client_id", client), ("device_code", code), ("code", code)])
    }

    /// The hidden name of the transaction on a page.
    static func transaction(_ page: SandboxResponse) -> String? {
        guard let mark = page.body.firstRange(of: "name=\"transaction\" value=\"") else { return nil }
        return String(page.body[mark.upperBound...].prefix { $0 != "\"" })
    }

    /// The parameters that a redirect carries.
    static func parameters(_ answer: SandboxResponse) -> Form {
        let target = answer.header("Location") ?? ""
        return Form(parsing: target.split(separator: "?", maxSplits: 1).last ?? "")
    }

    static func claims(_ token: String?) throws -> JSON {
        let parts = try #require(token).split(separator: ".")
        return try JSON(parsing: String(decoding: try #require(Base64URLCoding.decode(parts[1])), as: UTF8.self))
    }
}
