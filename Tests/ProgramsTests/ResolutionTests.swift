import FoundationEssentials
import Identity
import StrictJSON
import Testing
import TokenCache

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// For whom a request is: every door in the same situations.
@Suite struct ResolutionTests {
    // MARK: The doors

    enum Door: String, CaseIterable {
        case token, devops, pip, acr, az, azd, endpoint, run, forge, host, registry, kubelogin, oidc, kubectl, google

        func query(_ options: TokenOptions) throws -> TokenQuery {
            let environment = ProcessEnvironment(workingFolder: "/srv") { $0 == "HOME" ? "/" : nil }
            let cluster = "https://k.example.org"
            let arm = "https://management.azure.com/.default"
            switch self {
            case .token:
                var query = TokenQuery(options)
                query.takesUsualAccount = true
                return query
            case .devops: return try GitCredential(url: "https://dev.azure.com/contoso/x").query(options, environment)
            case .pip:
                let index = "https://pkgs.dev.azure.com/contoso/_packaging/f/pypi/simple/"
                return try #require(KeyringRequest(["get", index])).query(options, environment)
            case .acr: return try #require(ContainerRegistry("contoso.azurecr.io")).query(options, environment)
            case .az: return .az(AzureProfile(nil), nil, environment, options: options)
            case .azd:
                var query = try #require(DeveloperCLIRequest(["auth", "token", "--output", "json", "--scope", arm]))
                    .query(environment)
                query.options = options
                return query
            case .endpoint, .run:
                let request =
                    self == .run
                    ? ProgramRequest(program: "terraform", directory: "/srv", home: "/")
                    : ProgramRequest(.endpoint, person: .nobody, environment)
                var query = TokenQuery(options, request, .resource([arm]))
                query.asked.scopes = [arm]
                return query
            case .forge: return try GitCredential(url: "https://git.example.org:8443/x").query(options, environment)
            case .host: return try GitCredential(url: "https://stranger.example/x").query(options, environment)
            case .registry: return try #require(ContainerRegistry("127.0.0.1:5000")).query(options, environment)
            case .kubelogin:
                let line = "get-token --server-id S --client-id 80faf920-1908-4b52-b5ef-a8e7bedfc67a"
                return try #require(KubeloginArguments(line.split(separator: " ").map(String.init)))
                    .query(options, cluster: cluster, environment)
            case .oidc:
                let line = "get-token --oidc-issuer-url=https://id.lab.example --oidc-client-id=lab-id"
                return try #require(
                    OIDCLoginArguments(line.split(separator: " ").map(String.init)) { _ in true }
                ).query(options, cluster: cluster, environment)
            case .kubectl:
                return TokenQuery(
                    options, ProgramRequest(.kubectl, person: .nobody, cluster: cluster, environment), .cluster)
            case .google:
                var query = TokenQuery(options, ProgramRequest(.google, person: .nobody, environment))
                query.isIDToken = true
                return query
            }
        }
    }

    // MARK: The situations

    struct Situation {
        var name: String
        var settings = ""
        var environment: String?
        /// `FOYER_ACCOUNT`.
        var account: String?
        var remembered: String?
        /// `CLIENT:USER`
        var store: [String] = ["work:ada"]
        var options = TokenOptions()
    }

    private static let work = "[clients.work]\nclient_id = \"work-id\"\n"
    private static let lab =
        "[clients.lab]\nclient_id = \"lab-id\"\nauthority = \"https://id.lab.example\"\nkind = \"oidc\"\n"
    private static let forge =
        "[clients.forge]\nclient_id = \"forge-id\"\nauthority = \"https://git.example.org:8443\"\nkind = \"oidc\"\n"
    private static let site =
        "[clients.site]\nclient_id = \"site-id\"\nauthority = \"https://fs.example.org/adfs\"\nkind = \"adfs\"\n"

    private static func rule(_ members: String) -> String { "[[rules]]\n" + members.replacing(", ", with: "\n") + "\n" }

    static let situations: [Situation] = [
        Situation(name: "no settings, nobody", store: []),
        Situation(name: "no settings, Azure CLI signed in", store: ["Azure CLI:ada"]),
        Situation(
            name: "no settings, a helper added Visual Studio", remembered: "Azure CLI",
            store: ["Azure CLI:ada", "Visual Studio:ada"]),
        Situation(
            name: "no settings, two clients, nobody remembered", store: ["Azure CLI:ada", "Graph PowerShell:ada"]),
        Situation(name: "no settings, everybody removed", remembered: "Azure CLI", store: []),
        Situation(name: "one client of Entra", settings: work),
        Situation(name: "one client, two accounts", settings: work, store: ["work:ada", "work:grace"]),
        Situation(name: "one OpenID Connect client", settings: lab, store: ["lab:hedy"]),
        Situation(
            name: "one OpenID Connect client, Azure CLI signed in", settings: lab,
            store: ["lab:hedy", "Azure CLI:ada"]),
        Situation(
            name: "default is OpenID Connect", settings: "client = \"lab\"\n" + work + lab,
            store: ["lab:hedy", "work:ada", "Azure CLI:ada"]),
        Situation(
            name: "FOYER_CLIENT is OpenID Connect", settings: "client = \"work\"\n" + work + lab, environment: "lab",
            store: ["lab:hedy", "work:ada"]),
        Situation(
            name: "FOYER_CLIENT is of Entra", settings: "client = \"lab\"\n" + work + lab, environment: "work",
            store: ["lab:hedy", "work:ada"]),
        Situation(name: "FOYER_CLIENT is nobody's", settings: work, environment: "gone"),
        Situation(
            name: "FOYER_ACCOUNT beside FOYER_CLIENT", settings: "client = \"lab\"\n" + work + lab,
            environment: "work", account: "grace", store: ["lab:hedy", "work:ada", "work:grace"]),
        Situation(
            name: "FOYER_ACCOUNT of a client that few places accept", settings: "client = \"work\"\n" + work + lab,
            environment: "lab", account: "hedy", store: ["lab:hedy", "work:ada", "work:grace"]),
        Situation(
            name: "FOYER_ACCOUNT alone", settings: work, account: "grace", store: ["work:ada", "work:grace"]),
        Situation(name: "FOYER_ACCOUNT is signed out", settings: work, environment: "work", account: "zoe"),
        Situation(
            name: "FOYER_ACCOUNT, and a rule names another", settings: work + rule("account = \"ada\""),
            environment: "work", account: "grace", store: ["work:ada", "work:grace"]),
        Situation(
            name: "FOYER_ACCOUNT, and an option names another", settings: work, environment: "work", account: "grace",
            store: ["work:ada", "work:grace"], options: TokenOptions { $0.account = "ada" }),
        Situation(
            name: "FOYER_ACCOUNT, and an option names another client", settings: work + lab, environment: "work",
            account: "grace", store: ["work:ada", "work:grace", "lab:hedy"],
            options: TokenOptions { $0.client = "lab" }),
        Situation(
            name: "a rule for the folder",
            settings: "client = \"lab\"\n" + work + lab
                + rule("directory = \"/srv\", client = \"work\", account = \"grace\""),
            store: ["lab:hedy", "work:ada", "work:grace"]),
        Situation(
            name: "a rule for the folder, and FOYER_CLIENT",
            settings: work + lab
                + rule("directory = \"/srv\", client = \"work\", account = \"grace\""), environment: "lab",
            store: ["lab:hedy", "work:ada", "work:grace"]),
        Situation(
            name: "a rule for the folder, and an option names another account",
            settings: work
                + rule("directory = \"/srv\", client = \"work\", account = \"grace\", tenant = \"t\""),
            store: ["work:ada", "work:grace"], options: TokenOptions { $0.account = "ada" }),
        Situation(
            name: "a rule for another folder",
            settings: work
                + rule("directory = \"/srv/other\", client = \"work\", account = \"grace\""),
            store: ["work:ada", "work:grace"]),
        Situation(
            name: "an account in the settings", settings: "client = \"work\"\naccount = \"grace\"\n" + work,
            store: ["work:ada", "work:grace"]),
        Situation(
            name: "an account in the settings, and FOYER_CLIENT is another",
            settings: "client = \"work\"\naccount = \"grace\"\n" + work + lab, environment: "lab",
            store: ["work:ada", "work:grace", "lab:hedy"]),
        Situation(name: "AD FS is the default", settings: site, store: ["site:ada"]),
        Situation(name: "a forge beside work", settings: "client = \"work\"\n" + work + forge),
        Situation(
            name: "a rule without a place names OpenID Connect", settings: work + lab + rule("client = \"lab\""),
            store: ["lab:hedy", "work:ada"]),
        Situation(
            name: "a rule names an account", settings: work + rule("account = \"grace\""),
            store: ["work:ada", "work:grace"]),
        Situation(
            name: "a rule names a client and an account",
            settings: work + lab + rule("client = \"work\", account = \"grace\""),
            store: ["work:ada", "work:grace", "lab:hedy"]),
        Situation(name: "a rule names somebody who is not there", settings: work + rule("account = \"zoe\"")),
        Situation(
            name: "rules name the places",
            settings: work + lab
                + rule("host = \"stranger.example\", client = \"lab\"")
                + rule("registry = \"127.0.0.1:5000\", client = \"lab\"")
                + rule("cluster = \"https://k.example.org\", account = \"hedy\""),
            store: ["lab:hedy", "work:ada"]),
        Situation(
            name: "rules name the places for a client of Entra, without scopes",
            settings: work
                + rule("host = \"stranger.example\", client = \"work\"")
                + rule("registry = \"127.0.0.1:5000\", client = \"work\"")
                + rule("cluster = \"https://k.example.org\", client = \"work\"")),
        Situation(
            name: "rules name the places for a client of Entra, with scopes",
            settings: work
                + rule("host = \"stranger.example\", client = \"work\", scopes = [\"api://s/.default\"]")
                + rule("registry = \"127.0.0.1:5000\", client = \"work\", scopes = [\"api://r/.default\"]")
                + rule("cluster = \"https://k.example.org\", client = \"work\", scopes = [\"api://k/.default\"]")),
        Situation(
            name: "a rule names another cluster, host and registry",
            settings: work
                + rule("host = \"stranger.example:8443\", client = \"work\"")
                + rule("registry = \"127.0.0.1\", client = \"work\"")
                + rule("cluster = \"https://good.example\", client = \"work\"")),
        Situation(
            name: "any cluster is allowed", settings: work + rule("cluster = \"*\", scopes = [\"S/.default\"]"),
            store: ["work:ada", "kubelogin:ada"]),
        Situation(
            name: "the host of Azure DevOps is given to OpenID Connect by name",
            settings: work + lab + rule("host = \"dev.azure.com\", client = \"lab\""),
            store: ["lab:hedy", "work:ada"]),
        Situation(
            name: "an option names a client of Entra", settings: work + lab, store: ["lab:hedy", "work:ada"],
            options: TokenOptions { $0.client = "work" }),
        Situation(
            name: "an option names OpenID Connect", settings: work + lab, store: ["lab:hedy", "work:ada"],
            options: TokenOptions { $0.client = "lab" }),
        Situation(
            name: "an option names an account", settings: work, store: ["work:ada", "work:grace"],
            options: TokenOptions { $0.account = "grace" }),
        Situation(
            name: "an option names scopes", settings: work,
            options: TokenOptions { $0.scopes = ["https://vault.azure.net/.default"] }),
        Situation(
            name: "an option names a provider of another kind", settings: work,
            options: TokenOptions { $0.authority = "https://id.lab.example" }),
        Situation(
            name: "a rule bounds the scopes",
            settings: work + rule("program = \"az\", scopes = [\"https://vault.azure.net/.default\"]")
                + rule("program = \"azd\", scopes = [\"https://management.azure.com/.default\"]")),
        Situation(
            name: "a tenant by option", settings: work, options: TokenOptions { $0.tenant = "contoso.example" }),
    ]

    // MARK: What comes of it

    static func snapshot(_ store: [String], _ settings: Settings) throws -> CacheSnapshot {
        try CacheSnapshot(storeText(store, settings), path: "")
    }

    /// A store with a refresh token for each `CLIENT:USER`.
    static func storeText(_ store: [String], _ settings: Settings) throws -> [UInt8] {
        var accounts: [JSONMember] = []
        var tokens: [JSONMember] = []
        for entry in store {
            let parts = entry.split(separator: ":").map(String.init)
            let client = try #require(settings.choice(named: parts[0]))
            let user = parts[1]
            let issuer = client.kind == .oidc || client.kind == .adfs ? client.authority : nil
            let environment = issuer.flatMap { try? WebAddress($0).host } ?? "login.microsoftonline.com"
            let home = issuer == nil ? "\(user).c0000000-0000-4000-8000-00000000c001" : user
            let name = "\(home)-\(environment)-r"
            accounts.removeAll { $0.name == name }
            accounts.append(
                JSONMember(
                    name: name,
                    value: JSONValue(
                        ("home_account_id", home.json), ("environment", environment.json), ("realm", "r"),
                        ("local_account_id", user.json), ("username", (user + "@contoso.example").json),
                        ("authority_type", "MSSTS"), ("issuer", issuer.json))))
            tokens.append(
                JSONMember(
                    name: "\(home)-\(environment)-refreshtoken-\(client.clientID)--",
                    value: JSONValue(
                        ("credential_type", "RefreshToken"), ("home_account_id", home.json),
                        ("environment", environment.json), ("client_id", client.clientID.json), ("secret", "s"),
                        ("issuer", issuer.json))))
        }
        let root = JSONValue(
            ("Account", .object(JSONObject(accounts))), ("RefreshToken", .object(JSONObject(tokens))))
        return Array(root.serialized().utf8)
    }

    /// `CLIENT USER`, who could be meant, or why nobody is.
    private static func answer(_ door: Door, _ situation: Situation) throws -> String {
        let settings = try SettingsReader(path: "config.toml", text: situation.settings).settings()
        let remembered = situation.remembered.flatMap { settings.choice(named: $0) }
        let world = ResolutionWorld(
            settings, client: situation.environment, account: situation.account, remembered: { remembered },
            folder: { ProgramRequest(program: "foyer", directory: "/srv/deep", home: "/") })
        return try answer(door.query(situation.options), settings, world, situation.store)
    }

    private static func answer(
        _ query: TokenQuery, _ settings: Settings, _ world: ResolutionWorld, _ store: [String]
    ) throws -> String {
        do {
            let first = try ResolvedClient(query, world)
            let snapshot = try snapshot(store, settings)
            let settled = try first.settled(by: world.onlyClient(in: snapshot))
            let client = try #require(settled.client)
            let authority = try settled.authority(of: client)
            let resolution = try Resolution(settled, client, in: snapshot) {
                $0.issuer == authority.issuer && Cloud.isSame($0.environment, authority.environment)
            }
            let name = client.name.replacing(" ", with: "")
            func user(_ account: Account) -> String { String(account.label.prefix { $0 != "@" }) }
            switch resolution.outcome {
            case .resolved(let account): return "\(name)/" + (account.map(user) ?? "-")
            case .ask(let accounts): return "\(name)?" + accounts.map(user).joined(separator: "+")
            case .signIn(let name): return "signIn(\(name))"
            case .refuse(let refusal): return refusal.word
            }
        } catch let refusal as Refusal { return refusal.word }
    }

    @Test func `Ten doors and more in the same situations`() throws {
        var lines: [String] = []
        for situation in Self.situations {
            lines.append(situation.name)
            var byAnswer: [(answer: String, doors: [String])] = []
            for door in Door.allCases {
                let answer = try Self.answer(door, situation)
                if let place = byAnswer.firstIndex(where: { $0.answer == answer }) {
                    byAnswer[place].doors.append(door.rawValue)
                } else {
                    byAnswer.append((answer, [door.rawValue]))
                }
            }
            lines += byAnswer.map { "  \($0.answer): \($0.doors.joined(separator: " "))" }
        }
        let found = lines.joined(separator: "\n")
        #expect(Self.situations.count * Door.allCases.count >= 450)
        if found != Self.expected { print(found) }
        #expect(found == Self.expected)
    }

    // MARK: Known git servers

    @Test func `A known server's client gets git's requests for its hosts, and no other client does`() throws {
        let github = "[clients.hub]\nclient_id = \"hub-id\"\nauthority = \"https://github.com\"\n"
        let enterprise =
            "[clients.corp]\nclient_id = \"corp-id\"\nauthority = \"https://git.corp.example\"\nserver = \"github\"\n"
        let google = "[clients.google]\nclient_id = \"g-id\"\nauthority = \"https://accounts.google.com\"\n"
        let other = "[clients.fake]\nclient_id = \"f-id\"\nauthority = \"https://evil.example\"\nserver = \"google\"\n"
        func client(_ url: String, _ text: String) throws -> String {
            let query = try GitCredential(url: url).query(
                TokenOptions(), ProcessEnvironment(workingFolder: "/") { _ in nil })
            let settings = try SettingsReader(path: "config.toml", text: text).settings()
            do throws(Refusal) {
                return try ResolvedClient(query, ResolutionWorld(settings)).client?.name ?? "-"
            } catch { return error.word }
        }
        let all = github + enterprise + google + Self.work
        #expect(try client("https://github.com/o/r", all) == "hub")
        #expect(try client("https://gist.github.com/1", all) == "hub")
        #expect(try client("https://git.corp.example/o/r", all) == "corp")
        #expect(try client("https://go.googlesource.com/tools", all) == "google")
        #expect(try client("https://source.developers.google.com/p/x/r/y", all) == "google")
        #expect(try client("https://gist.git.corp.example/1", all) == "notNamed")
        #expect(try client("https://go.googlesource.com/tools", other) == "notNamed")
        #expect(try client("https://api.github.com/x", all) == "notNamed")
    }

    @Test func `Rules with a path choose between two clients of one host`() throws {
        let text =
            "[clients.mine]\nclient_id = \"m\"\nauthority = \"https://github.com\"\n"
            + "[clients.corp]\nclient_id = \"c\"\nauthority = \"https://github.com\"\n"
            + Self.rule("host = \"github.com\", path = \"contoso\", client = \"corp\"")
            + Self.rule("host = \"github.com\", client = \"mine\"")
        func client(_ path: String) throws -> String? {
            let query = try GitCredential(url: "https://github.com/" + path).query(
                TokenOptions(), ProcessEnvironment(workingFolder: "/") { _ in nil })
            let settings = try SettingsReader(path: "config.toml", text: text).settings()
            return try ResolvedClient(query, ResolutionWorld(settings)).client?.name
        }
        #expect(try client("contoso/engine.git") == "corp" && client("contoso2/x") == "mine" && client("") == "mine")
    }

    // MARK: Bounds

    private static func outcome(
        _ query: TokenQuery, _ text: String, _ store: [String], environment: String? = nil
    ) throws -> String {
        let settings = try SettingsReader(path: "config.toml", text: text).settings()
        return try answer(query, settings, ResolutionWorld(settings, client: environment), store)
    }

    private static func endpoint(_ identity: String, _ fill: (inout TokenOptions) -> Void = { _ in }) throws
        -> TokenQuery
    {
        var query = try Door.endpoint.query(TokenOptions(fill))
        query.identity = identity
        return query
    }

    @Test func `What a command line or a rule names holds, whatever identity is asked for`() throws {
        let (clients, both) = (Self.work + Self.lab, ["work:ada", "work:grace", "lab:hedy"])
        func found(_ query: TokenQuery, _ rules: String = "") throws -> String {
            try Self.outcome(query, clients + rules, both)
        }
        #expect(try found(Self.endpoint("grace")) == "azure-cli/grace")
        #expect(try found(Self.endpoint("work")) == "work?ada+grace")
        #expect(try found(Self.endpoint("grace") { $0.client = "work" }) == "work/grace")
        #expect(try found(Self.endpoint("ada") { ($0.client, $0.account) = ("work", "ada") }) == "work/ada")
        #expect(
            try found(Self.endpoint("grace") { ($0.client, $0.account) = ("work", "ada") }) == "outOfBound(account)")
        #expect(try found(Self.endpoint("lab") { $0.client = "work" }) == "outOfBound(client)")
        #expect(try found(Self.endpoint("lab")) == "otherKind")
        let rule = Self.rule("program = \"endpoint\", client = \"work\", account = \"ada\"")
        #expect(try found(Self.endpoint("grace"), rule) == "outOfBound(account)")
        #expect(try found(Self.endpoint("Azure CLI"), rule) == "outOfBound(client)")
        #expect(try found(Self.endpoint("ada"), rule) == "work/ada")
        #expect(try found(Self.endpoint("nobody"), rule) == "noAccount")
    }

    @Test func `A tenant and scopes that are asked for stay within those that are named`() throws {
        func found(_ named: String?, _ asked: String?) throws -> String {
            var query = try Door.az.query(TokenOptions { $0.tenant = named })
            query.asked.tenant = asked
            return try Self.outcome(query, Self.work, ["work:ada"])
        }
        #expect(try found(nil, "t") == "work/ada" && found("t", nil) == "work/ada" && found("T", "t") == "work/ada")
        #expect(try found("t", "u") == "outOfBound(tenant)")
        func scopes(_ bound: [String], _ asked: [String]) throws -> String {
            var query = try Door.az.query(TokenOptions { $0.scopes = bound })
            query.asked.scopes = asked
            return try Self.outcome(query, Self.work, ["work:ada"])
        }
        #expect(try scopes(["api://x/.default"], ["api://x/read"]) == "work/ada")
        #expect(try scopes(["api://x/read"], ["API://x/Read"]) == "work/ada")
        #expect(try scopes(["api://x/read"], ["api://x/write"]) == "outOfBound(scopes)")
        #expect(try scopes(["api://x/.default"], ["api://x2/read"]) == "outOfBound(scopes)")
    }

    @Test func `Whom a program is set to counts where nobody is named, and nobody else is given in their place`() throws
    {
        func found(_ user: ProgramUser, _ rules: String = "") throws -> String {
            var query = try Door.az.query(TokenOptions())
            query.user = user
            return try Self.outcome(query, Self.work + rules, ["work:ada", "work:grace"])
        }
        #expect(try found(.person("Grace@contoso.example")) == "work/grace")
        #expect(try found(.person("zoe@contoso.example")) == "otherUser" && found(.service("x")) == "otherUser")
        #expect(try found(.unknown(why: "x")) == "otherUser")
        #expect(try found(.unknown(why: "x"), Self.rule("account = \"ada\"")) == "work/ada")
    }

    @Test func `A description of a cluster of any length is understood, and one that is not is refused`() throws {
        func exec(_ text: String) throws(Failure) -> ExecCredential {
            try ExecCredential(ProcessEnvironment(workingFolder: "/") { _ in text })
        }
        func text(_ bytes: Int, _ server: String = #""server":"https://good.example""#) -> String {
            let data = String(repeating: "A", count: bytes)
            return """
                {"apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"cluster":{\(server),\
                "certificate-authority-data":"\(data)"}}}
                """
        }
        for bytes in [0, 3000, 5000, 200_000] {
            let found = try exec(text(bytes))
            #expect(found.cluster == "https://good.example" && found.version.hasSuffix("v1beta1"))
        }
        #expect { try exec(text(2_000_000)) } throws: { ($0 as? Failure)?.code == .invalidInput }
        #expect { try exec(text(10, #""server":7"#)) } throws: { ($0 as? Failure)?.code == .invalidInput }
    }

    @Test func `What confirms names clients by the settings of whom it protects`() throws {
        let own = try SettingsReader(path: "x", text: Self.work + "[agent]\nconfirm = [\"work\", \"Azure CLI\"]\n")
            .settings()
        let renamed = ClientChoice(name: "zzz", clientID: "work-id")
        let azure = ClientChoice(name: "tool", clientID: try #require(Client.wellKnown("Azure CLI")?.id))
        #expect(own.selects(renamed, own.confirmedClients) && own.selects(azure, own.confirmedClients))
        #expect(!own.selects(ClientChoice(name: "work", clientID: "other"), own.confirmedClients))
    }

    @Test func `Silent calls and sign-ins share one default of scopes`() throws {
        let cases: [(String, ScopeSet)] = [
            (Self.work, ScopeSet.everything(of: "https://graph.microsoft.com")),
            (Self.lab, ["openid", "profile", "email"]), (Self.work + "scopes = [\"api://x/read\"]\n", ["api://x/read"]),
        ]
        for (text, expected) in cases {
            let settings = try SettingsReader(path: "x", text: text).settings()
            let client = settings.clients[0]
            let first = try ResolvedClient(TokenQuery(), ResolutionWorld(settings))
            #expect(try first.scopes(client, at: first.authority(of: client)) == expected)
        }
    }

    @Test func `Only Microsoft's providers are forgiven the default scope of a resource`() {
        let asked: ScopeSet = ["https://management.azure.com/.default"]
        #expect(asked.declined(granted: ["read_api"], kind: .oidc) == asked)
        #expect(asked.declined(granted: ["user_impersonation"], kind: .aad).isEmpty)
        #expect(asked.declined(granted: asked, kind: .oidc).isEmpty)
    }

    private static let expected = """
        no settings, nobody
          noClient: token kubectl google
          visual-studio/-: devops pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
        no settings, Azure CLI signed in
          azure-cli/-: token
          visual-studio/-: devops pip
          azure-cli/ada: acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        no settings, a helper added Visual Studio
          azure-cli/-: token
          visual-studio/ada: devops pip
          azure-cli/ada: acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        no settings, two clients, nobody remembered
          noClient: token kubectl google
          visual-studio/-: devops pip
          azure-cli/ada: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
        no settings, everybody removed
          azure-cli/-: token acr az azd endpoint run google
          visual-studio/-: devops pip
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        one client of Entra
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        one client, two accounts
          work/-: token
          work?ada+grace: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        one OpenID Connect client
          lab/-: token
          visual-studio/-: devops pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        one OpenID Connect client, Azure CLI signed in
          lab/-: token
          visual-studio/-: devops pip
          azure-cli/ada: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        default is OpenID Connect
          lab/-: token
          visual-studio/-: devops pip
          azure-cli/ada: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        FOYER_CLIENT is OpenID Connect
          lab/-: token
          work/ada: devops pip acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        FOYER_CLIENT is of Entra
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc
          noScopes: kubectl
        FOYER_CLIENT is nobody's
          unknownClient: token devops pip acr az azd endpoint run kubectl google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
        FOYER_ACCOUNT beside FOYER_CLIENT
          work/grace: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc
          noScopes: kubectl
        FOYER_ACCOUNT of a client that few places accept
          lab/hedy: token google
          work?ada+grace: devops pip acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
        FOYER_ACCOUNT alone
          work/grace: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?grace: kubelogin
          noAccount: oidc
          noScopes: kubectl
        FOYER_ACCOUNT is signed out
          noAccount: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        FOYER_ACCOUNT, and a rule names another
          work/grace: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        FOYER_ACCOUNT, and an option names another
          work/ada: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?ada: kubelogin
          noAccount: oidc
          noScopes: kubectl
        FOYER_ACCOUNT, and an option names another client
          lab/-: token
          otherKind: devops pip acr az azd endpoint run
          notNamed: forge host registry
          outOfBound(client): kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        a rule for the folder
          work/grace: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
        a rule for the folder, and FOYER_CLIENT
          lab/-: token
          work/grace: devops pip acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          noAccount: google
        a rule for the folder, and an option names another account
          work/ada: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?ada: kubelogin
          noAccount: oidc
          noScopes: kubectl
        a rule for another folder
          work/-: token
          work?ada+grace: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        an account in the settings
          work/grace: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        an account in the settings, and FOYER_CLIENT is another
          lab/-: token
          work/grace: devops pip acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        AD FS is the default
          site/-: token
          visual-studio/-: devops pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
          site/ada: google
        a forge beside work
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          forge/-: forge
          notNamed: host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        a rule without a place names OpenID Connect
          noClient: token kubectl
          visual-studio/-: devops pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc
          lab/hedy: google
        a rule names an account
          work/-: token
          work/grace: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        a rule names a client and an account
          noClient: token kubectl
          work/grace: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc
        a rule names somebody who is not there
          work/-: token
          noAccount: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        rules name the places
          noClient: token kubectl google
          visual-studio/-: devops pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge
          lab/hedy: host registry oidc
          noAccount: kubelogin
        rules name the places for a client of Entra, without scopes
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge
          noScopes: host registry kubectl
          outOfBound(client): kubelogin oidc
        rules name the places for a client of Entra, with scopes
          work/-: token
          work/ada: devops pip acr az azd endpoint run host registry kubectl google
          notNamed: forge
          outOfBound(client): kubelogin oidc
        a rule names another cluster, host and registry
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        any cluster is allowed
          work/-: token
          work/ada: devops pip acr az azd endpoint run kubectl google
          notNamed: forge host registry
          kubelogin/ada: kubelogin
          outOfBound(scopes): oidc
        the host of Azure DevOps is given to OpenID Connect by name
          noClient: token kubectl google
          lab/hedy: devops
          visual-studio/-: pip
          azure-cli/-: acr az azd endpoint run
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab?hedy: oidc
        an option names a client of Entra
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          outOfBound(client): kubelogin oidc
          noScopes: kubectl
        an option names OpenID Connect
          lab/-: token
          otherKind: devops pip acr az azd endpoint run
          notNamed: forge host registry
          outOfBound(client): kubelogin
          lab?hedy: oidc kubectl
          lab/hedy: google
        an option names an account
          work/grace: token devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?grace: kubelogin
          noAccount: oidc
          noScopes: kubectl
        an option names scopes
          work/-: token
          work/ada: devops pip acr az google
          outOfBound(scopes): azd endpoint run kubelogin oidc
          notNamed: forge host registry
          work?ada: kubectl
        an option names a provider of another kind
          work/-: token google
          otherKind: devops pip acr az azd endpoint run kubelogin
          notNamed: forge host registry
          lab-id?: oidc
          work?: kubectl
        a rule bounds the scopes
          work/-: token
          work/ada: devops pip acr azd endpoint run google
          outOfBound(scopes): az
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        a tenant by option
          work/-: token
          work/ada: devops pip acr az azd endpoint run google
          notNamed: forge host registry
          kubelogin?: kubelogin
          lab-id?: oidc
          noScopes: kubectl
        """
}

extension Refusal {
    fileprivate var word: String {
        switch self {
        case .placeNotNamed: "notNamed"
        case .otherKind: "otherKind"
        case .outOfBound(_, let what, _, _): "outOfBound(\(what))"
        case .noScopes: "noScopes"
        case .noClient: "noClient"
        case .unknownClient: "unknownClient"
        case .badAuthority: "badAuthority"
        case .noAccount: "noAccount"
        case .ambiguousAccount: "ambiguousAccount"
        case .ofOtherProvider: "ofOtherProvider"
        case .ambiguousClient: "ambiguousClient"
        case .otherUser: "otherUser"
        case .failed: "failed"
        }
    }
}
