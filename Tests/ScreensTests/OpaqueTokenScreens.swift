import Explain
import FoundationEssentials
import Identity
import Keys
import StrictJSON
import Terminal
import Testing

@testable import AppModel
@testable import Console
@testable import Screens

/// An account at GitHub: a token without an announced end, which nobody can read, with GitHub's scopes.
@Suite struct OpaqueTokenScreens {
    private static let client = "Ov23liFoyerOAuthApp1"
    private static let account = Account(
        homeAccountID: "1007", environment: "github.com", username: "hedy", clients: [client],
        issuer: "https://github.com/login/oauth")

    private static func token(scopes: ScopeSet, secret: String) -> CachedCredential {
        var token = World.credential(.accessToken, client, account, scopes: scopes, ends: 0, secret: secret)
        token.cachedAt = World.seconds(-86_400)
        token.expiresOn = .noAnnouncedEnd
        token.issuer = account.issuer
        return token
    }

    private static func state(rows: Int = 24, columns: Int = 80) -> State {
        var context = World.context
        context.clients.append(
            ConfiguredClient(
                name: "github", clientID: client, authority: "https://github.com/login/oauth",
                scopes: ["repo", "read:org"], kind: .oauth2))
        let overview = AccountOverview(
            account: account,
            credentials: [
                token(scopes: ["repo", "repo:status", "read:org"], secret: "gho_16C7e42F292c6912E7710c838347Ae")
            ])
        return World.state([overview], rows: rows, columns: columns, context: context)
    }

    @Test func `A token without an announced end is in no list and no text a matter of thousands of years`() throws {
        var state = Self.state(rows: 40, columns: 120)
        var seen = state.picture()
        for keys in ["i", "\t", "\t", "\t"] {
            if keys == "\t" { state.press(.tab) } else { state.type(keys) }
            seen += state.picture()
        }
        state.press(.escape)
        state.type("o")
        seen += state.picture()
        #expect(!seen.contains("days") && !seen.contains("9999") && seen.contains("no announced end"))
        #expect(seen.contains("issued access tokens may work: no announced end"))
    }

    @Test func `An opaque token is told by its prefix, its entry and its scopes`() throws {
        var state = Self.state(rows: 28, columns: 100)
        state.type("i")
        state.press(.enter)
        try expectScreen(
            "opaque token", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Tokens of hedy 1 ───────────────┬─ hedy › access token ───────────────────────────────────────────
                 Ov23liFoyerOAuthApp1             │ ▲ no announced end · high-risk scopes       v to ask its server
                ▌ ● access   G…  no announced end │ Access token for GitHub             client Ov23liFoyerOAuthApp1
                                                  │ Allows                                                  granted
                                                  │ high       repo         reads and changes all your repositorie…
                                                  │ high       repo:status  reads and sets commit statuses, which …
                                                  │ low        read:org     reads the members, teams and projects …
                                                  │ ─ Claims  Times  Raw  Store entry ─────────────────────── Tab ─
                                                  │▸kind     GitHub token of an OAuth app, for a user; works until
                                                  │          it is revoked
                                                  │          by its prefix
                                                  │ client   Ov23liFoyerOAuthApp1                 github
                                                  │ provider https://github.com/login/oauth
                                                  │ scopes   repo repo:status read:org
                                                  │ type     Bearer
                                                  │ stored   2026-11-20 04:00 UTC                 1 day ago
                                                  │ expires  no announced end
                                                  │ token    34 bytes, hidden                     R: show, Y: copy
                                                  │
                                                  │ opaque: not a JWT: expected three parts. Only its resource can
                                                  │ read it.
                                                  │
                                                  │
                                                  │
                                                  │
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────
                 Tab view  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
    }

    @Test func `On request, its server says more, which is shown like claims`() throws {
        var state = Self.state(rows: 30, columns: 100)
        state.type("i")
        let effects = state.type("v")
        guard case .verify(let asked, nil, let id) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(asked.scopes.contains("repo") && state.picture().contains("asking its server"))
        let answer = Claims(
            JSONObject([
                JSONMember(name: "login", value: .string("hedy")),
                JSONMember(name: "id", value: .number(JSONNumber(text: "1007"))),
                JSONMember(name: "scope", value: .string("repo read:org")),
            ]))
        state.send(.verified(.accepted(host: "api.github.com", answer), id))
        state.press(.enter, .end)
        try expectScreen(
            "opaque token accepted", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Tokens of hedy 1 ───────────────┬─ hedy › access token ───────────────────────────────────────────
                 Ov23liFoyerOAuthApp1             │ ▲ no announced end · api.github.com accepts it · high-risk
                ▌ ● access   G…  no announced end │   scopes
                                                  │ Access token for GitHub             client Ov23liFoyerOAuthApp1
                                                  │ Allows  high repo  high repo:status  low read:org
                                                  │ ─ Claims  Times  Raw  Store entry ─────────────────────── Tab ─
                                                  │ kind     GitHub token of an OAuth app, for a… by its prefix
                                                  │ client   Ov23liFoyerOAuthApp1                 github
                                                  │ provider https://github.com/login/oauth
                                                  │ scopes   repo repo:status read:org
                                                  │ type     Bearer
                                                  │ stored   2026-11-20 04:00 UTC                 1 day ago
                                                  │ expires  no announced end
                                                  │ token    34 bytes, hidden                     R: show, Y: copy
                                                  │ api.github.com says
                                                  │ login    hedy                                 name of the acco…
                                                  │ id       1007                                 ID of the account
                                                  │▸scope    repo read:org                        scopes
                                                  │          repo (high): reads and changes all your repositories,
                                                  │          also private ones: code, hooks, collaborators
                                                  │          read:org (low): reads the members, teams and projects
                                                  │          of your organizations
                                                  │
                                                  │ opaque: not a JWT: expected three parts. Only its resource can
                                                  │ read it.
                                                  │
                                                  │
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────
                 Tab view  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
        state.type("v")
        state.send(.verified(.rejected(host: "api.github.com"), RequestID(2)))
        #expect(state.picture().contains("does not accept it: expired or revoked"))
    }

    @Test func `A pasted token is described, and no server is asked about it`() throws {
        var state = Self.state()
        state.type("p")
        state.press(.paste("ghp_16C7e42F292c6912E7710c838347Ae178B4a"), .enter)
        #expect(state.picture().contains("personal access token, classic"))
        #expect(state.type("v").isEmpty)
    }

    @Test func `Consent is explained by GitHub's table, with its page for this client`() throws {
        var state = Self.state(rows: 30, columns: 100)
        state.type("s")
        try expectScreen(
            "consent at GitHub", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Consent of hedy ──────────────────────────────────────────────────────────────────────────────────
                         permission                   what it allows                                     risk
                 GitHub · Ov23liFoyerOAuthApp1
                 ▌ [ ] ✔ repo                         reads and changes all your repositories, also pri… high
                   [ ] ✔ repo:status                  reads and sets commit statuses, which can decide … high
                   [ ] ✔ read:org                     reads the members, teams and projects of your org… low

                 More permissions 37  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://github.com/settings/connections/applications/Ov23liFoyerOAuthApp1
                 press "Revoke access": all of the app's tokens for you end








                 ─ Request ────────────────────────────────────────────────────────────────────────────────────────
                 repo
                 high risk; user consent; reads and changes all your repositories, also private ones: code, hooks,
                 collaborators; includes repo:status, repo_deployment, public_repo, repo:invite, security_events
                 Space: select
                ────────────────────────────────────────────────────────────────────────────────────────────────────
                 Space choose  Enter review  / filter  + type  m more  b revoke  y copy…  Esc back  ? help
                """#)
        #expect(
            state.type("b") == [
                .openBrowser(
                    try WebAddress("https://github.com/settings/connections/applications/Ov23liFoyerOAuthApp1"))
            ])
        state.type("m")
        #expect(state.picture().contains("More permissions"))
    }

    @Test func `A sign-out says before that GitHub revokes only what is reported as leaked`() throws {
        var state = Self.state()
        state.type("o")
        try expectOverlay(
            "sign out of GitHub", state,
            is: #"""
                ┌─ Sign out? ──────────────────────────────────────────────────────────────┐
                │ hedy                                                                     │
                │ client: Ov23liFoyerOAuthApp1                                             │
                │ ✖ nothing is revoked: at GitHub, only you can end the grant, on its page │
                │ • will be removed from this store for this client                        │
                │ • browser session will be ended, where supported                         │
                │ ✖ cannot be undone                                                       │
                │ ✖ other clients keep their tokens                                        │
                │ ▲ issued access tokens may work: no announced end                        │
                │                                                                          │
                │ w [ ] all clients and saved data of the account                          │
                │ r [ ] also revoke access tokens                                          │
                │ m [ ] revoke at GitHub as leaked tokens; it sends you mail               │
                │ b [✔] end the browser's session                                          │
                │                                                                          │
                │ ▸[ Cancel ]   [ Sign out ]                                               │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
        state.type("m")
        #expect(state.picture().contains("all tokens will be reported to GitHub as leaked"))
        let effects = state.type("y")
        guard case .signOut(_, _, let choices, _) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(choices.revokesAsLeaked)
    }

    @Test func `After a sign-out, the page that ends the grant is shown and opened`() throws {
        var state = Self.state()
        state.type("oy")
        let page = try WebAddress("https://github.com/settings/connections/applications/Ov23liFoyerOAuthApp1")
        state.send(
            .signedOut(
                SignOutOutcome(
                    revoked: .notOffered, removed: .done, sessionEnded: .notOffered,
                    accessTokensExpire: .noAnnouncedEnd, grantPage: page), RequestID(1)))
        try expectOverlay(
            "signed out of GitHub", state,
            is: #"""
                ┌─ Sign out ───────────────────────────────────────────────────────────────┐
                │ hedy, Ov23liFoyerOAuthApp1                                               │
                │ ○ not revoked: not supported by the provider                             │
                │   the grant remains until you end it:                                    │
                │   https://github.com/settings/connections/applications/Ov23liFoyerOAuthA │
                │   pp1                                                                    │
                │ ✔ removed here                                                           │
                │ ○ browser session: no sign-out page at the provider                      │
                │                                                                          │
                │ ▲ issued access tokens may work: no announced end                        │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  b browser  Esc back  ? help
                """#)
        #expect(state.type("b") == [.openBrowser(page)])
    }

    @Test func `Nobody else offers the service for leaked tokens`() {
        var state = World.state()
        state.type("om")
        #expect(!state.picture().contains("leaked"))
    }

    @Test func `Gitea limits nothing without a scope of its own, which is said before the sign-in`() throws {
        func risk(_ scopes: ScopeSet) throws -> ScopeMeaning.Risk? {
            let request = SignInRequest(
                clientID: Self.client,
                request: TokenRequest(
                    scopes: scopes, authority: try Authority("https://codeberg.org"),
                    correlationID: TokenRequest.unnumbered))
            return RequestedPermissions(request, in: World.context).highestRisk
        }
        #expect(try risk(["openid", "profile", "email"]) == .critical)
        #expect(try risk(["openid", "read:repository"]) == .medium)
    }

    @Test func `Permissions are explained before the sign-in, too`() throws {
        let request = SignInRequest(
            clientID: Self.client,
            request: TokenRequest(
                scopes: ["admin:org", "read:user"], authority: try Authority("https://github.com"),
                correlationID: TokenRequest.unnumbered))
        let requested = RequestedPermissions(request, in: World.context)
        #expect(requested.highestRisk == .critical)
        #expect(
            requested.permissions.map(\.words) == [
                "admin:org: manages your organizations: members, teams, projects; includes write:org, read:org",
                "read:user: reads your profile, also what is not public",
            ])
    }
}
