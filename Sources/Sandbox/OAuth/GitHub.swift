/// GitHub's token errors and its REST API.
enum GitHub {
    /// Every error of the token endpoint has status 200.
    static func refusal(_ refusal: OAuthErrorResponse, at endpoint: Endpoint, grant: String?) -> OAuthErrorResponse {
        var refusal = refusal
        switch (refusal.error, grant ?? OAuthServer.github.defaultGrantType) {
        case ("invalid_client", _) where endpoint == .devicecode:
            return OAuthErrorResponse("Not Found", "there is no such application", status: 404)
        case ("invalid_client", _):
            refusal.error = "incorrect_client_credentials"
            refusal.description = "The client_id and/or client_secret passed are incorrect."
        case ("invalid_grant", "authorization_code") where refusal.codes == [500_112]:
            refusal.error = "redirect_uri_mismatch"
            refusal.description = "The redirect_uri MUST match the registered callback URL for this application."
        case ("invalid_grant", "authorization_code"):
            refusal.error = "bad_verification_code"
            refusal.description = "The code passed is incorrect or expired."
        case ("invalid_grant", "refresh_token"):
            refusal.error = "bad_refresh_token"
            refusal.description = "The refresh token passed is incorrect or expired."
        case ("invalid_grant", _):
            refusal.error = "incorrect_device_code"
            refusal.description = "The device_code provided is not valid."
        default: break
        }
        if endpoint == .token, refusal.status < 500 { refusal.status = 200 }
        refusal.more.append(
            JSON.Member(name: "error_uri", value: "https://docs.github.example/troubleshooting-oauth-errors"))
        return refusal
    }

    /// The page for a path without one, also for metadata documents.
    static func web(_ request: SandboxRequest) -> SandboxResponse {
        if request.path.hasPrefix("/settings/connections/applications/") {
            return Pages.page("Authorized OAuth App", "<p>Here a user revokes an application’s access.</p>")
        }
        return Pages.page("Page not found", "<p>This is not the web page you are looking for.</p>", status: 404)
    }
}

/// GitHub's REST and GraphQL API, below `/api`.
struct GitHubAPI {
    let clients: Clients
    let people: People
    let now: Int

    func answer(_ request: SandboxRequest, tokens: inout IssuedTokens) -> SandboxResponse {
        guard request.headers["user-agent"]?.isEmpty == false else {
            return GitHubAPI.message("Request forbidden by administrative rules.", status: 403)
        }
        // Both forms of the address: `/api/v3/user` at the host, and `/user` at the API's own.
        var path = request.segments
        if path.first == "api" { path.removeFirst() }
        if path.first == "v3" { path.removeFirst() }
        switch (request.method, path) {
        case ("POST", ["credentials", "revoke"]): return revokeCredentials(request, tokens: &tokens)
        case (_, let path) where path.count == 3 && path[0] == "applications":
            return application(request, path[1], path[2], tokens: &tokens)
        default: return personal(request, path, tokens: tokens)
        }
    }

    // MARK: The account of a token

    private func personal(_ request: SandboxRequest, _ path: [String], tokens: IssuedTokens) -> SandboxResponse {
        guard let secret = GitHubAPI.credential(request) else {
            return GitHubAPI.message("Requires authentication", status: 401)
        }
        guard let (token, user, client) = found(secret, in: tokens) else {
            return GitHubAPI.message("Bad credentials", status: 401)
        }
        let scopes = token.scope.split(separator: " ").map(String.init).sorted()
        var answer: SandboxResponse
        var needed: [String] = []
        switch (request.method, path) {
        case ("GET", []): answer = .json(.members(["current_user_url": "/user"]))
        case ("GET", ["user"]):
            let showsEmail = client.ignoresScopes || !Set(scopes).isDisjoint(with: ["user", "user:email"])
            answer = .json(
                .members([
                    "login": .string(user.login), "id": .int(user.number), "node_id": .string("U_\(user.number)"),
                    "type": "User", "name": .string(user.name), "email": showsEmail ? .string(user.username) : .null,
                ]))
        case ("GET", ["user", "installations"]):
            guard client.ignoresScopes else {
                return GitHubAPI.message("You must authenticate with an access token of a GitHub App.", status: 403)
            }
            answer = .json(
                .members([
                    "total_count": 1,
                    "installations": .array([.members(["id": 1, "app_slug": .string(client.name)])]),
                ]))
        case ("POST", ["graphql"]):
            answer = .json(.members(["data": .members(["viewer": .members(["login": .string(user.login)])])]))
            needed = ["repo"]
        default: return GitHubAPI.message("Not Found", status: 404)
        }
        // A GitHub App has permissions instead of scopes.
        if !client.ignoresScopes {
            answer.headers.append(("X-OAuth-Scopes", scopes.joined(separator: ", ")))
            answer.headers.append(("X-Accepted-OAuth-Scopes", needed.joined(separator: ", ")))
        }
        return answer
    }

    private func found(_ secret: String, in tokens: IssuedTokens) -> (AccessToken, User, HostedClient)? {
        guard let token = tokens.access[secret], token.provider == .oauth(.github), token.expiresAt > now,
            let user = people.user(token.username), let client = clients[token.clientId]
        else { return nil }
        return (token, user, client)
    }

    /// `Bearer T`, or `token T` as GitHub's command line sends it.
    static func credential(_ request: SandboxRequest) -> String? {
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        return words.count == 2 && ["bearer", "token"].contains(words[0].lowercased()) ? words[1] : nil
    }

    // MARK: Revocation

    /// Takes leaked tokens of anyone, and only without authentication.
    private func revokeCredentials(_ request: SandboxRequest, tokens: inout IssuedTokens) -> SandboxResponse {
        guard request.headers["authorization"] == nil else {
            return GitHubAPI.message("This endpoint must be called without authentication.", status: 403)
        }
        guard let secrets = (try? JSON(parsing: request.body))?["credentials"]?.array?.compactMap(\.string),
            (1...1000).contains(secrets.count)
        else { return GitHubAPI.message("Validation Failed", status: 422) }
        for secret in secrets { tokens.end(secret, at: .oauth(.github)) }
        return .json(.members([:]), status: 202)
    }

    /// `DELETE …/token` revokes one token, `DELETE …/grant` all of the user's, and `POST …/token` describes one. The
    /// application authenticates with HTTP Basic.
    private func application(
        _ request: SandboxRequest, _ clientId: String, _ what: String, tokens: inout IssuedTokens
    ) -> SandboxResponse {
        let authentication = ClientAuthentication(request)
        guard authentication.method == .basic, let client = clients[clientId], client.kind == .github,
            authentication.clientId == clientId, authentication.secret == client.secret
        else { return GitHubAPI.message("Bad credentials", status: 401) }
        guard let secret = (try? JSON(parsing: request.body))?["access_token"]?.string,
            let (token, user, owner) = found(secret, in: tokens), owner.clientId == clientId
        else { return GitHubAPI.message("Not Found", status: 404) }
        switch (request.method, what) {
        case ("DELETE", "token"): tokens.end(secret, at: .oauth(.github))
        case ("DELETE", "grant"): tokens.endAll(of: token.username, clientId: clientId, at: .oauth(.github))
        case ("POST", "token"):
            return .json(
                .members([
                    "token": .string(secret), "scopes": .strings(token.scope.split(separator: " ").map(String.init)),
                    "app": .members(["client_id": .string(clientId), "name": .string(client.name)]),
                    "user": .members(["login": .string(user.login), "id": .int(user.number)]),
                ]))
        default: return GitHubAPI.message("Not Found", status: 404)
        }
        return .empty(204)
    }

    private static func message(_ text: String, status: Int) -> SandboxResponse {
        .json(
            .members(["message": .string(text), "documentation_url": "https://docs.github.example/rest"]),
            status: status)
    }
}
