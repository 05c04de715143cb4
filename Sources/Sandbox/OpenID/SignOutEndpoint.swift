/// OpenID Connect RP-Initiated Logout.
enum SignOutEndpoint {
    /// Does not redirect to an unregistered URI; the page only confirms the sign-out.
    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, clients: Clients, keys: CloudKeys,
        browser: inout BrowserSessions, quirks: Quirks
    ) -> SandboxResponse {
        if issuer.shape == .openID, quirks.has(.noEndSession) { return .empty(404) }
        let form = request.form
        let hinted = form["id_token_hint"].flatMap { keys.claims(of: $0) }
        browser.signOut(request, username: form["logout_hint"]?.lowercased() ?? hinted?["preferred_username"]?.string)
        guard let target = form["post_logout_redirect_uri"] else { return Pages.signedOut() }
        let clientId = hinted?["aud"]?.string ?? form["client_id"]
        let named = clientId.flatMap { clients[$0] }.map { [$0] }
        let candidates = named ?? (issuer.shape == .openID ? [] : clients.all(of: issuer.clientKind))
        if quirks.has(.exactPostLogout),
            !candidates.contains(where: { ($0.postLogoutRedirectUris + $0.redirectUris).contains(target) })
        {
            return Pages.failure(OAuthErrorResponse("invalid_request", "Invalid post logout URI."))
        }
        guard candidates.contains(where: { $0.kind == issuer.clientKind && $0.allows(postLogout: target) }) else {
            return Pages.signedOut()
        }
        let back = quirks.has(.logoutDropsState) ? target : Form([("state", form["state"])]).appended(to: target)
        return quirks.has(.logoutPage) ? Pages.confirmSignOut(to: back) : .redirect(to: back)
    }
}
