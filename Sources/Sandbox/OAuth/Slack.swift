/// Slack's responses: `ok` in each, errors with status 200, and the user's token inside `authed_user`.
///
/// Only tokens of users, which are requested with `user_scope`.
enum Slack {
    static func refusal(_ refusal: OAuthErrorResponse, grant: String?) -> OAuthErrorResponse {
        var refusal = refusal
        switch (refusal.error, grant) {
        case ("invalid_client", _): refusal.error = "bad_client_secret"
        case ("invalid_grant", "refresh_token"): refusal.error = "invalid_refresh_token"
        case ("invalid_grant", _): refusal.error = refusal.codes == [500_112] ? "bad_redirect_uri" : "invalid_code"
        default: break
        }
        refusal.description = ""
        refusal.more.append(JSON.Member(name: "ok", value: false))
        if refusal.status < 500 { refusal.status = 200 }
        return refusal
    }

    /// A token response in Slack's form: nested for a code, flat for a refresh.
    static func answer(_ response: JSON, to request: SandboxRequest, tokens: IssuedTokens, people: People) -> JSON {
        let user = response["access_token"]?.string.flatMap { tokens.access[$0] }.flatMap { people.user($0.username) }
        let id = JSON.string(user?.slackId ?? "")
        var inner = response
        inner["token_type"] = "user"
        let team = JSON.members(["id": .string(teamId), "name": "Lab"])
        if request.bodyForm["grant_type"] == "refresh_token" {
            inner["ok"] = true
            inner["user_id"] = id
            inner["team"] = team
            return inner
        }
        inner["id"] = id
        return .members([
            "ok": true, "app_id": "A1", "team": team, "authed_user": inner, "is_enterprise_install": false,
        ])
    }

    /// `auth.test`, the account of a token, and `auth.revoke`.
    static func api(_ request: SandboxRequest, tokens: inout IssuedTokens, people: People, now: Int) -> SandboxResponse
    {
        guard let secret = request.bearerToken ?? request.bodyForm["token"] else { return failure("not_authed") }
        guard let token = tokens.access[secret], token.provider == .oauth(.slack), token.expiresAt > now,
            let user = people.user(token.username)
        else { return failure("invalid_auth") }
        switch request.segments.last {
        case "auth.test":
            return .json(
                .members([
                    "ok": true, "url": "https://lab.slack.example/", "team": "Lab", "user": .string(user.login),
                    "team_id": .string(teamId), "user_id": .string(user.slackId),
                ]))
        case "auth.revoke":
            tokens.end(secret, at: .oauth(.slack))
            return .json(.members(["ok": true, "revoked": true]))
        default: return failure("unknown_method")
        }
    }

    private static let teamId = "T1"

    private static func failure(_ error: String) -> SandboxResponse {
        .json(.members(["ok": false, "error": .string(error)]))
    }
}

extension User {
    fileprivate var slackId: String { "U\(number)" }
}
