/// The scopes of each OAuth server.
extension OAuthServer {
    /// The requested scopes by the names that the server uses internally.
    ///
    /// GitHub ignores unknown scopes, and also takes commas. Google and the plain server refuse unknown scopes, which
    /// include `offline_access`, and at the plain server `openid`.
    func accepted(_ asked: [String]) throws(OAuthErrorResponse) -> [String] {
        switch self {
        case .github: return OAuthServer.withoutCommas(asked).filter(OAuthServer.gitHubScopes.contains)
        case .slack: return OAuthServer.withoutCommas(asked)
        case .google:
            guard !asked.isEmpty else {
                throw OAuthErrorResponse("invalid_request", "Missing required parameter: scope")
            }
            let names = asked.map { OAuthServer.googleShortNames[$0] ?? $0 }
            let unknown = names.filter { !OAuthServer.googleScopes.contains($0) }
            guard unknown.isEmpty else {
                throw OAuthErrorResponse(
                    "invalid_scope",
                    "Some requested scopes were invalid. {invalid=[\(unknown.joined(separator: ", "))]}")
            }
            var seen: Set<String> = []
            return names.filter { seen.insert($0).inserted }
        case .plain:
            guard let unknown = asked.first(where: { !OAuthServer.plainScopes.contains($0) }) else {
                return asked.isEmpty ? ["profile", "notes.read"] : asked
            }
            throw OAuthErrorResponse("invalid_scope", "the scope \(unknown.prefix(80)) is unknown")
        }
    }

    private static func withoutCommas(_ scopes: [String]) -> [String] {
        scopes.flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// The `scope` of a token response: GitHub's and Slack's have commas, and Google renames and reorders.
    func scopeText(_ granted: [String]) -> String {
        switch self {
        case .github, .slack: granted.joined(separator: ",")
        case .google:
            granted.map { name in OAuthServer.googleShortNames.first { $0.value == name }?.key ?? name }.sorted()
                .joined(separator: " ")
        case .plain: granted.joined(separator: " ")
        }
    }

    static let plainScopes = ["profile", "email", "notes.read", "notes.write", "admin"]
    static let gitHubScopes: Set<String> = [
        "repo", "repo:status", "public_repo", "workflow", "gist", "notifications", "user", "read:user", "user:email",
        "read:org", "write:org", "admin:org", "read:packages", "write:packages", "admin:public_key",
    ]
    private static let googleShortNames = [
        "https://www.googleapis.com/auth/userinfo.email": "email",
        "https://www.googleapis.com/auth/userinfo.profile": "profile",
    ]
    static let googleScopes =
        ["openid", "email", "profile", "https://www.googleapis.com/auth/gmail.readonly"]
        + ["https://www.googleapis.com/auth/cloud-platform"] + googleDeviceScopes
    private static let googleDeviceScopes = [
        "https://www.googleapis.com/auth/drive.file", "https://www.googleapis.com/auth/youtube",
    ]

    /// Google's device flow allows only a few scopes, without mail and without the cloud.
    static func isForGoogleDevices(_ scope: String) -> Bool {
        ["openid", "email", "profile"].contains(scope) || googleDeviceScopes.contains(scope)
    }

    func checkDeviceFlow(_ client: HostedClient, _ scopes: [String]) throws(OAuthErrorResponse) {
        switch self {
        case .github:
            guard client.hasDeviceFlow else {
                throw OAuthErrorResponse(
                    "device_flow_disabled", "Device Flow must be explicitly enabled for this App")
            }
        case .google:
            guard client.hasDeviceFlow else {
                throw OAuthErrorResponse("invalid_client", "Invalid client type.", status: 401)
            }
            let wrong = scopes.filter { !OAuthServer.isForGoogleDevices($0) }
            guard wrong.isEmpty else {
                throw OAuthErrorResponse("invalid_scope", "Invalid device flow scope: \(wrong.joined(separator: " "))")
            }
        case .slack: throw OAuthErrorResponse("unsupported_grant_type", "there is no device flow")
        case .plain: break
        }
    }
}
