import FoundationEssentials

/// `GET /_sandbox/git?server=NAME`: whether a git server should accept a request's `Authorization`.
///
/// For the git servers of tests, which are other programs. `scheme=basic` or `scheme=bearer` restricts a plain server.
struct GitCheck {
    let tokens: IssuedTokens
    let people: People
    let now: Int

    func answer(_ request: SandboxRequest) -> SandboxResponse {
        guard let server = request.queryForm["server"].flatMap(OAuthServer.init(named:)) else {
            return .json(.members(["error": "there is no such server"]), status: 404)
        }
        let scheme = request.queryForm["scheme"]
        guard let secret = credential(request, of: server, scheme: scheme), let token = tokens.access[secret],
            token.provider == .oauth(server), token.expiresAt > now, let user = people.user(token.username)
        else {
            var answer = SandboxResponse.empty(401)
            let isBearer = server.isPlain && scheme != "basic"
            answer.headers.append(("WWW-Authenticate", "\(isBearer ? "Bearer" : "Basic") realm=\"\(server.name)\""))
            return answer
        }
        return .json(
            .members([
                "username": .string(user.username), "login": .string(user.login), "scope": .string(token.scope),
                "client_id": .string(token.clientId),
            ]))
    }

    /// The token, if scheme and user name are those that the server takes.
    private func credential(_ request: SandboxRequest, of server: OAuthServer, scheme: String?) -> String? {
        if server.isPlain, scheme != "basic", let secret = request.bearerToken { return secret }
        guard scheme != "bearer", let header = request.headers["authorization"],
            header.lowercased().hasPrefix("basic "), let bytes = Data(base64Encoded: String(header.dropFirst(6)))
        else { return nil }
        let halves = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false
        ).map(String.init)
        guard halves.count == 2 else { return nil }
        let isRightUser =
            switch server {
            case .google: halves[0] == "oauth2accesstoken" || halves[0].hasPrefix("git-")
            case .github, .plain: !halves[0].isEmpty
            case .slack: false
            }
        return isRightUser ? halves[1] : nil
    }
}
