import Explain
import Identity
import Testing

@Suite struct ConsentRowTests {
    private static let tenant = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"

    private func overview(_ scopes: [ScopeSet], _ consent: [ConsentRecord] = []) -> AccountOverview {
        let account = Account(
            homeAccountID: "ada.\(Self.tenant)", environment: "login.microsoftonline.com", username: "ada")
        return AccountOverview(
            account: account,
            credentials: scopes.enumerated().map {
                CachedCredential(
                    id: "\($0.offset)", kind: .accessToken, clientID: "work", homeAccountID: account.homeAccountID,
                    environment: account.environment, realm: Self.tenant, scopes: $0.element, secret: Secret("s"))
            }, consent: consent)
    }

    private func note(asked: ScopeSet, declined: ScopeSet) -> ConsentRecord {
        ConsentRecord(clientID: "work", realm: Self.tenant, asked: asked, declined: declined)
    }

    @Test func `Granted, declined and still wanted are told apart per resource`() throws {
        let given = overview(
            [["https://graph.microsoft.com/User.Read"], ["https://vault.azure.net/.default"]],
            [
                note(
                    asked: ["https://graph.microsoft.com/Mail.Send"],
                    declined: ["https://graph.microsoft.com/Mail.Send"])
            ])
        let rows = ConsentRow.rows(given) { _ in
            ["https://graph.microsoft.com/User.Read", "https://graph.microsoft.com/Files.Read"]
        }
        #expect(rows.map(\.resource) == ["https://graph.microsoft.com", "https://vault.azure.net"])
        let graph = try #require(rows.first)
        #expect(graph.granted == ["https://graph.microsoft.com/User.Read"])
        #expect(graph.declined == ["https://graph.microsoft.com/Mail.Send"])
        #expect(graph.open == ["https://graph.microsoft.com/Files.Read"])
    }

    @Test func `What was declined once and is granted now is not declined`() throws {
        let given = overview([["Mail.Send"]], [note(asked: ["Mail.Send"], declined: ["Mail.Send"])])
        let row = try #require(ConsentRow.rows(given) { _ in [] }.first)
        #expect(row.declined.isEmpty && row.granted == ["Mail.Send"] && row.open.isEmpty)
    }

    @Test func `A client that was refused everything still has a row`() throws {
        let row = try #require(
            ConsentRow.rows(overview([], [note(asked: ["Mail.Send"], declined: ["Mail.Send"])])) { _ in [] }.first)
        #expect(row.granted.isEmpty && row.declined == ["Mail.Send"] && row.clientID == "work")
    }

    @Test func `What only an administrator can grant is named`() throws {
        let admin = try #require(ScopeMeaning.all.first { $0.needsAdministrator && $0.resource == ScopeMeaning.graph })
        let name = admin.resource + "/" + admin.name
        let row = try #require(
            ConsentRow.rows(overview([[name, "https://graph.microsoft.com/User.Read"]])) { _ in [] }.first)
        #expect(row.administrators == [name])
    }

    private static let pages: [(home: String, environment: String, address: String?)] = [
        ("a.\(Account.personalTenant)", "login.microsoftonline.com", "https://account.live.com/consent/Manage"),
        ("a.\(tenant)", "login.windows.net", "https://myapps.microsoft.com/"),
        ("a.\(tenant)", "login.microsoftonline.us", "https://myapps.microsoft.us/"),
        ("a.\(tenant)", "login.partner.microsoftonline.cn", nil),
        ("a.\(tenant)", "contoso.ciamlogin.com", nil),
        ("sub", "accounts.google.com", "https://myaccount.google.com/connections"),
        ("sub", "id.example.org", "https://id.example.org/"),
    ]

    @Test func `At a known server the page is its own, and GitHub's is the client's`() throws {
        func page(_ issuer: String, _ client: String?, server: String? = nil) throws -> String? {
            let account = Account(
                homeAccountID: "1007", environment: try WebAddress(issuer).host, username: "", issuer: issuer)
            return ConsentPage.of(account, server: server.flatMap(KnownServer.named), clientID: client).address?.text
        }
        let github = "https://github.com/login/oauth"
        #expect(
            try page(github, "Iv1.8a61f9b3")
                == "https://github.com/settings/connections/applications/Iv1.8a61f9b3")
        #expect(try page(github, "..") == nil)
        #expect(
            try page(github, "Ov23liFoyerOAuthApp1")
                == "https://github.com/settings/connections/applications/Ov23liFoyerOAuthApp1")
        #expect(try page(github, "../../x") == nil)
        #expect(try page(github, nil) == nil)
        #expect(try page("https://gitlab.com", nil) == "https://gitlab.com/-/user_settings/applications")
        // A company's host is known by the settings alone.
        #expect(try page("https://git.example.org", "a") == "https://git.example.org/")
        #expect(
            try page("https://git.example.org", "a", server: "github")
                == "https://git.example.org/settings/connections/applications/a")
    }

    @Test(arguments: pages)
    func `Where consent is taken back depends on the kind of account and its cloud`(
        _ row: (home: String, environment: String, address: String?)
    ) {
        let page = ConsentPage.of(Account(homeAccountID: row.home, environment: row.environment, username: ""))
        #expect(page.address?.text == row.address)
        #expect(!page.words.isEmpty && !page.words.hasSuffix("."))
    }
}
