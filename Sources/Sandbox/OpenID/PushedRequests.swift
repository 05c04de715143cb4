/// An authorization request that was sent ahead, and waits for the browser that will name it (RFC 9126).
struct PushedRequest: Sendable {
    static let prefix = "urn:ietf:params:oauth:request_uri:"
    /// RFC 9126 section 2.2 thinks of 5 to 600 seconds.
    static let lifetime = 90

    var clientId: String
    var form: Form
    var expiresAt: Int
}

extension ProviderState {
    /// RFC 9126 section 2.1: the request is checked here, where no person has to look at what is wrong with it.
    mutating func push(_ inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> JSON {
        guard inquiry.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "pushed requests take POST", status: 405)
        }
        let form = inquiry.bodyForm
        guard !form.has("request_uri") else {
            throw OAuthErrorResponse("invalid_request", "a pushed request holds no request_uri")
        }
        let client = try client(of: inquiry, in: realm)
        guard let uri = form["redirect_uri"], client.allows(redirect: uri),
            !has(.exactPort) || client.redirectUris.contains(uri)
        else {
            throw OAuthErrorResponse("invalid_request", "the redirect URI is not registered for this client")
        }
        _ = try checked(form, request: AuthorizeRequest(form, redirectUri: uri), in: realm)
        guard pushed.count < 1000 else {
            throw OAuthErrorResponse("temporarily_unavailable", "too many requests wait", status: 503)
        }
        let reference = PushedRequest.prefix + RandomValue.token()
        pushed[reference] = PushedRequest(
            clientId: client.clientId, form: form, expiresAt: now + PushedRequest.lifetime)
        return .members(["request_uri": .string(reference), "expires_in": .int(PushedRequest.lifetime)])
    }

    /// What an authorization request says: in its query, or in what was pushed. Each reference is good once
    /// (RFC 9126 section 4), and nothing beside it counts.
    mutating func authorizationForm(_ form: Form, client: Client, in realm: HostedIssuer) throws(OAuthErrorResponse)
        -> Form
    {
        guard realm.shape == .openID else { return form }
        guard let reference = form["request_uri"] else {
            guard !has(.pushedRequired) else {
                throw OAuthErrorResponse("invalid_request", "authorization requests have to be pushed (RFC 9126)")
            }
            return form
        }
        guard let request = pushed[reference], request.clientId == client.clientId else {
            throw OAuthErrorResponse("invalid_request_uri", "no request waits under this request_uri")
        }
        pushed[reference] = nil
        guard request.expiresAt > now else {
            throw OAuthErrorResponse("invalid_request_uri", "the request_uri has expired")
        }
        return request.form
    }
}
