import Foundation
import Identity
import StrictJSON
import Testing
import TokenCache

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// The person whom a program names gets the token, or nobody does: every protocol that can name one.
@Suite struct NamedPersonTests {
    enum Caller: String, CaseIterable {
        case gitLine, gitURL, keyringArgument, keyringURL, kubelogin, oidcLogin, oidcHint, kubectl

        private static let environment = ProcessEnvironment(workingFolder: "/srv") { $0 == "HOME" ? "/" : nil }
        private static let cluster = "https://k.example.org"

        /// Whether the protocol has a username for every request, so that placeholders stand for it.
        var hasPlaceholders: Bool { self != .kubectl }

        func query(naming name: String, _ options: TokenOptions = TokenOptions()) throws -> TokenQuery {
            let (environment, cluster) = (Self.environment, Self.cluster)
            let escaped = name.replacing("@", with: "%40")
            switch self {
            case .gitLine:
                let lines = "protocol=https\nhost=git.example.org\nusername=\(name)\n"
                return try GitCredential(Array(lines.utf8)).query(options, environment)
            case .gitURL:
                return try GitCredential(url: "https://\(escaped)@git.example.org/x").query(options, environment)
            case .keyringArgument:
                return try #require(KeyringRequest(["get", "https://git.example.org/simple/", name]))
                    .query(options, environment)
            case .keyringURL:
                return try #require(KeyringRequest(["get", "https://\(escaped)@git.example.org/simple/"]))
                    .query(options, environment)
            case .kubelogin:
                let words = ["get-token", "--server-id", "S", "--client-id", "work-id", "--login-hint", name]
                return try #require(KubeloginArguments(words)).query(options, cluster: cluster, environment)
            case .oidcLogin, .oidcHint:
                let named =
                    self == .oidcLogin
                    ? "--username=\(name)" : "--oidc-auth-request-extra-params=login_hint=\(name)"
                let words = [
                    "get-token", "--oidc-issuer-url=https://id.lab.example", "--oidc-client-id=lab-id", named,
                ]
                return try #require(OIDCLoginArguments(words) { _ in true })
                    .query(options, cluster: cluster, environment)
            case .kubectl:
                let client = self == .kubectl ? "work" : "lab"
                let own = TokenOptions { ($0.account, $0.client, $0.scopes) = (name, client, ["S/.default"]) }
                return try HelperRequest.kubectl(
                    own, isIDToken: false,
                    ProcessEnvironment(workingFolder: "/srv") {
                        $0 == "HOME"
                            ? "/"
                            : $0 == "KUBERNETES_EXEC_INFO"
                                ? """
                                {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",\
                                "spec":{"cluster":{"server":"https://k.example.org"}}}
                                """ : nil
                    }
                ).query
            }
        }

        var client: String { self == .oidcLogin || self == .oidcHint ? "lab" : "work" }
    }

    private static let clients = """
        [clients.work]
        client_id = "work-id"
        scopes = ["S/.default"]
        [clients.lab]
        client_id = "lab-id"
        authority = "https://id.lab.example"
        kind = "oidc"

        """

    private static func settings(account: String? = nil, git client: String = "work") -> String {
        let rest = account.map { "account = \"\($0)\"\n" } ?? ""
        return clients + "[[rules]]\nhost = \"git.example.org\"\nclient = \"\(client)\"\n" + rest
            + "[[rules]]\ncluster = \"https://k.example.org\"\n" + rest
    }

    static func answer(_ query: TokenQuery, _ text: String, store: [String]) throws -> String {
        let settings = try SettingsReader(path: "config.toml", text: text).settings()
        let snapshot = try CacheSnapshot(ResolutionTests.storeText(store, settings), path: "")
        let world = ResolutionWorld(settings)
        do {
            let first = try ResolvedClient(query, world).settled(by: nil).following(snapshot)
            let client = try #require(first.client)
            let authority = try first.authority(of: client)
            let resolution = try Resolution(first, client, in: snapshot) {
                $0.issuer == authority.issuer && Cloud.isSame($0.environment, authority.environment)
            }
            switch resolution.outcome {
            case .resolved(let account): return account?.label ?? "-"
            case .ask(let accounts): return "ask " + accounts.map(\.label).joined(separator: " ")
            case .signIn(let name):
                let request = resolution.request(TokenRequest(scopes: ["s"]))
                #expect(request.account == nil && request.loginHint == name)
                return "sign in " + name
            case .refuse(let refusal): return "refused: " + refusal.failure.message
            }
        } catch let refusal as Refusal { return "refused: " + refusal.failure.message }
    }

    private static let (ada, grace) = ("ada@contoso.example", "grace@contoso.example")

    @Test(arguments: Caller.allCases)
    func `A named person gets their own token, also where two are signed in and no rule chooses`(caller: Caller) throws
    {
        for name in [Self.grace, "Grace@CONTOSO.example"] {
            let query = try caller.query(naming: name)
            for store in [["ada", "grace"], ["grace", "ada"], ["grace"]] {
                let found = try Self.answer(query, Self.settings(), store: store.map { caller.client + ":" + $0 })
                #expect(found == Self.grace, "\(store)")
            }
        }
    }

    @Test(arguments: Caller.allCases)
    func `A named person who is not signed in is asked to sign in, and nobody replaces them`(caller: Caller) throws {
        let query = try caller.query(naming: Self.grace)
        for store in [[], ["ada"], ["ada", "zoe"]] {
            let found = try Self.answer(query, Self.settings(), store: store.map { caller.client + ":" + $0 })
            #expect(found == "sign in " + Self.grace, "\(store)")
        }
    }

    @Test(arguments: Caller.allCases)
    func `A rule for another account refuses a named person, and says both`(caller: Caller) throws {
        let query = try caller.query(naming: Self.grace)
        for store in [["ada", "grace"], ["ada"]] {
            let found = try Self.answer(
                query, Self.settings(account: Self.ada), store: store.map { caller.client + ":" + $0 })
            #expect(found.hasPrefix("refused: "), "\(store)")
            // Without a protocol for usernames, an unknown name is refused by itself.
            if caller != .kubectl || store.count == 2 {
                #expect(found.contains(Self.ada) && found.contains(Self.grace), "\(store): \(found)")
            }
        }
        let same = try Self.answer(
            query, Self.settings(account: Self.grace), store: ["ada", "grace"].map { caller.client + ":" + $0 })
        #expect(same == Self.grace)
    }

    @Test(arguments: Caller.allCases.filter(\.hasPlaceholders))
    func `A rule that names the same person as the request has them sign in`(caller: Caller) throws {
        let query = try caller.query(naming: Self.grace)
        let found = try Self.answer(
            query, Self.settings(account: Self.grace), store: [caller.client + ":ada"])
        #expect(found == "sign in " + Self.grace)
    }

    @Test(arguments: Caller.allCases.filter(\.hasPlaceholders))
    func `A placeholder for a username names nobody`(caller: Caller) throws {
        for name in [
            "x-access-token", "oauth2", "x-token-auth", "git", "token", "PersonalAccessToken", "OAuth2",
            "VssSessionToken", "__token__",
        ] {
            let query = try caller.query(naming: name)
            #expect(try Self.answer(query, Self.settings(), store: [caller.client + ":ada"]) == Self.ada, "\(name)")
            let two = try Self.answer(
                query, Self.settings(), store: [caller.client + ":ada", caller.client + ":grace"])
            #expect(two == "ask \(Self.ada) \(Self.grace)", "\(name)")
        }
    }

    @Test func `An empty username names nobody`() throws {
        let query = try Caller.gitLine.query(naming: "")
        #expect(try Self.answer(query, Self.settings(), store: ["work:ada"]) == Self.ada)
    }

    @Test(arguments: [
        ("https://contoso@dev.azure.com/contoso/x/_git/x", nil as String?), ("https://contoso@dev.azure.com/", nil),
        ("https://Contoso@dev.azure.com/contoso/x", nil), ("https://contoso@contoso.visualstudio.com/x", nil),
        ("https://grace%40contoso.example@dev.azure.com/contoso/x", "grace@contoso.example"),
        ("https://grace%40contoso.example@contoso.visualstudio.com/x", "grace@contoso.example"),
    ])
    func `The organization in a URL of Azure DevOps is no person`(url: String, name: String?) throws {
        let query = try GitCredential(url: url).query(
            TokenOptions(), ProcessEnvironment(workingFolder: "/") { _ in nil })
        #expect(query.request?.person.name == name)
    }

    // MARK: Logins

    private static func account(_ username: String, former: [String] = []) -> Account {
        var account = Account(
            homeAccountID: "id-" + username, environment: "git.example.org", username: username,
            issuer: "https://git.example.org")
        account.formerUsernames = former
        return account
    }

    private static func match(_ name: String, _ accounts: [Account]) throws -> NamedPerson.Match {
        let person = NamedPerson(username: name)
        return try person.match(accounts.filter { $0.isNamedInFull(by: name) }, own: accounts)
    }

    @Test func `A login names the account that has it, and else a person only where accounts have logins`() throws {
        let (ada, work) = (Self.account("ada"), Self.account("ada@contoso.example"))
        #expect(try Self.match("ada", [ada, Self.account("grace")]) == .account(ada))
        #expect(try Self.match("grace", [ada]) == .absent("grace"))
        #expect(try Self.match("ada", [work]) == .nobody)
        #expect(try Self.match("grace", []) == .nobody)
        #expect(try Self.match("grace@contoso.example", []) == .absent("grace@contoso.example"))
    }

    @Test func `A former name means its account until another person has it`() throws {
        let renamed = Self.account("ada.byron", former: ["ada"])
        #expect(try Self.match("ada", [renamed]) == .account(renamed))
        let new = Self.account("ada")
        #expect(try Self.match("ada", [renamed, new]) == .account(new))
    }

    @Test func `Who signs in instead of the named person is not taken for them`() {
        let (ada, work) = (Self.account("ada"), Self.account("ada@contoso.example"))
        for (name, account, isOther) in [
            ("ada", ada, false), ("grace", ada, true), ("grace", work, false), ("grace@contoso.example", work, true),
            ("ada@contoso.example", work, false), ("grace@contoso.example", ada, true), ("oauth2", ada, false),
        ] {
            #expect(NamedPerson(username: name).excludes(account) == isOther, "\(name) \(account.label)")
        }
    }

    // MARK: The username of the answer

    private static func token(of username: String) throws -> IssuedToken {
        try #require(
            IssuedToken([
                "accessToken": "TOKEN", "clientId": "c", "expiresOn": "2026-11-22T04:25:38Z",
                "account": JSONValue(("username", username.json)),
            ]))
    }

    @Test(arguments: [
        ("grace", "ada", "oauth2"), ("ada", "ada", "ada"), ("Ada", "ada", "Ada"),
        ("ada", "ada@contoso.example", "oauth2"),
        ("ada@contoso.example", "ada@contoso.example", "ada@contoso.example"), ("git", "ada", "git"),
        ("", "ada", "oauth2"),
    ])
    func `A token never goes out under a login that may be another person's`(
        asked: String, username: String, answered: String
    ) throws {
        let token = try Self.token(of: username)
        let credential = try GitCredential(Array("protocol=https\nhost=git.example.org\nusername=\(asked)\n".utf8))
        #expect(GitAnswer(token, to: credential, takesBearer: false).lines.first == "username=" + answered)
    }

    // MARK: The record

    @Test func `A recorded request names the person again`() throws {
        let settings = try SettingsReader(path: "config.toml", text: Self.settings()).settings()
        let query = try Caller.gitLine.query(naming: Self.grace)
        let request = try #require(query.request)
        let by = try ResolvedClient(query, ResolutionWorld(settings))
        let use = ProgramUse(of: request, by, Failure(.interactionRequired, "no"), at: Date())
        let read = try #require(ProgramUse(use.json))
        let again = try #require(read.query(settings, ProcessEnvironment(workingFolder: "/") { _ in nil }))
        #expect(again.request?.person.name == Self.grace)
        #expect(try Self.answer(again, Self.settings(), store: ["work:ada"]) == "sign in " + Self.grace)
    }

    @Test func `A username of another length than a provider's is refused`() {
        let long = "protocol=https\nhost=git.example.org\nusername=\(String(repeating: "a", count: 600))\n"
        #expect { try GitCredential(Array(long.utf8)) } throws: { ($0 as? Failure)?.code == .invalidInput }
    }
}
