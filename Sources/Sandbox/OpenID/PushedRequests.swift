/// A pushed authorization request that waits for its browser (RFC 9126).
struct PushedRequest: Sendable {
    static let prefix = "urn:ietf:params:oauth:request_uri:"
    /// RFC 9126 section 2.2 suggests 5 to 600 seconds.
    static let lifetime = 90

    var clientId: String
    var form: Form
    var expiresAt: Int
}

struct PushedRequests: Sendable {
    private var waiting: [String: PushedRequest] = [:]

    mutating func sweep(at now: Int) { waiting = waiting.filter { $0.value.expiresAt > now } }

    /// RFC 9126 section 2.1: the request is checked here, so errors are not first seen by the user.
    mutating func push(
        _ request: SandboxRequest, in issuer: HostedIssuer, clients: Clients, quirks: Quirks, now: Int
    ) throws(OAuthErrorResponse) -> JSON {
        guard request.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "pushed requests take POST", status: 405)
        }
        let form = request.bodyForm
        guard !form.has("request_uri") else {
            throw OAuthErrorResponse("invalid_request", "a pushed request holds no request_uri")
        }
        let client = try clients.client(of: request, in: issuer)
        guard let uri = form["redirect_uri"], client.allows(redirect: uri),
            !quirks.has(.exactPort) || client.redirectUris.contains(uri)
        else {
            throw OAuthErrorResponse("invalid_request", "the redirect URI is not registered for this client")
        }
        _ = try HostedAuthorizeRequest(form, redirectUri: uri).checked(form, in: issuer, quirks: quirks)
        guard waiting.count < 1000 else {
            throw OAuthErrorResponse("temporarily_unavailable", "too many requests wait", status: 503)
        }
        let reference = PushedRequest.prefix + RandomValue.token()
        waiting[reference] = PushedRequest(
            clientId: client.clientId, form: form, expiresAt: now + PushedRequest.lifetime)
        return .members(["request_uri": .string(reference), "expires_in": .int(PushedRequest.lifetime)])
    }

    /// The parameters of an authorization request, from its query or the pushed request. A reference is valid once (RFC
    /// 9126 section 4), and then other parameters do not count.
    mutating func form(for form: Form, client: HostedClient, quirks: Quirks, now: Int) throws(OAuthErrorResponse)
        -> Form
    {
        guard let reference = form["request_uri"] else {
            guard !quirks.has(.pushedRequired) else {
                throw OAuthErrorResponse("invalid_request", "authorization requests have to be pushed (RFC 9126)")
            }
            return form
        }
        guard let found = waiting[reference], found.clientId == client.clientId else {
            throw OAuthErrorResponse("invalid_request_uri", "no request waits under this request_uri")
        }
        waiting[reference] = nil
        guard found.expiresAt > now else {
            throw OAuthErrorResponse("invalid_request_uri", "the request_uri has expired")
        }
        return found.form
    }
}
