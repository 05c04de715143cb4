/// A valid authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct HostedAuthorizeRequest: Sendable {
    var redirectUri: String
    var state: String?
    var mode: ResponseMode
    var nonce: String?
    var challenge: String?
    var prompt: Set<String>
    var loginHint: String?
    /// The accounts to show: a domain, `organizations` or `consumers`.
    var domainHint: String?
    /// Seconds after a sign-in before the password is required again (OpenID Connect Core section 3.1.2.1).
    var maxAge: Int?
    var claims: String?
    /// RFC 9470.
    var acrValues: Set<String>
    /// RFC 8707, once checked.
    var resources: [String] = []
    /// Google's `access_type=offline`.
    var isOffline: Bool
    var clientInfo: Bool
    /// Whether the client can continue at another cloud that the user belongs to.
    var instanceAware: Bool

    enum ResponseMode: String, Sendable { case query, fragment, formPost = "form_post" }

    init(_ form: Form, redirectUri: String) {
        self.redirectUri = redirectUri
        state = form["state"]
        mode = form["response_mode"].flatMap(ResponseMode.init) ?? .query
        nonce = form["nonce"]
        challenge = form["code_challenge"]
        prompt = Set((form["prompt"] ?? "").split(separator: " ").map(String.init))
        loginHint = form["login_hint"]
        domainHint = form["domain_hint"]?.lowercased()
        maxAge = form["max_age"].flatMap { Int($0) }
        claims = form["claims"]
        acrValues = Set((form["acr_values"] ?? "").split(separator: " ").map(String.init))
        isOffline = form["access_type"] == "offline"
        clientInfo = form["client_info"] == "1"
        instanceAware = form["instance_aware"]?.lowercased() == "true"
    }

    func suits(_ user: User) -> Bool {
        switch domainHint {
        case nil: true
        case "consumers": user.isPersonal
        case "organizations": !user.isPersonal
        case let domain?: user.username.hasSuffix("@" + domain)
        }
    }

    /// Checks that precede any page.
    ///
    /// - Parameter form: the source of this request.
    func checked(_ form: Form, in issuer: HostedIssuer, quirks: Quirks) throws(OAuthErrorResponse) -> Scopes {
        // GitHub and Slack know no other type, and require none.
        let needsType = issuer.oauth != .github && issuer.oauth != .slack || form.has("response_type")
        guard form["response_type"] == "code" || !needsType else {
            throw OAuthErrorResponse(
                "unsupported_response_type", "Only the response type 'code' is supported.", code: 700_054)
        }
        if let mode = form["response_mode"], ResponseMode(rawValue: mode) == nil {
            throw OAuthErrorResponse(
                "invalid_request", "The response mode '\(mode.prefix(40))' is not supported.", code: 90014)
        }
        if let challenge {
            // RFC 7636 section 4.4.1: plain is rejected, as S256 always protects better.
            guard form["code_challenge_method"] == "S256", challenge.utf8.count == 43 else {
                throw OAuthErrorResponse(
                    "invalid_request", "The code challenge must use the method S256.", code: 501_491)
            }
        } else if issuer.isStandard {
            throw OAuthErrorResponse("invalid_request", "code_challenge is required (RFC 7636)")
        }
        if let claims = form["claims"], (try? JSON(parsing: claims))?.members == nil {
            throw OAuthErrorResponse("invalid_request", "The claims parameter is not a JSON object.", code: 900_236)
        }
        let known: Set<String> = ["none", "login", "select_account", "consent", "create"]
        guard prompt.isSubset(of: known), !prompt.contains("none") || prompt.count == 1 else {
            throw OAuthErrorResponse("invalid_request", "The prompt value is not supported.", code: 90023)
        }
        guard form["max_age"] == nil || (maxAge ?? -1) >= 0 else {
            throw OAuthErrorResponse("invalid_request", "max_age is a number of seconds.", code: 90014)
        }
        if issuer.shape == .openID, quirks.has(.nonceRequired), nonce == nil { throw .missing("nonce") }
        // RFC 6749 section 3.3: the scope is optional.
        let name = issuer.oauth == .slack ? "user_scope" : "scope"
        guard let text = form[name] ?? issuer.oauth.map({ _ in "" }) else { throw .missing("scope") }
        var scopes = try Scopes(text, in: issuer)
        if issuer.shape == .openID, quirks.has(.consentForOffline), !prompt.contains("consent") {
            scopes.asked.removeAll { $0 == "offline_access" }
        }
        return scopes
    }
}
