import Identity
import Testing

@testable import CommandSupport

@Suite struct RuleTests {
    private static func settings(_ text: String) throws -> Settings {
        try SettingsReader(path: "config.toml", text: text).settings()
    }

    private static let clients = """
        client = "work"
        [clients.work]
        client_id = "work-id"
        [clients.forge]
        client_id = "forge-id"
        authority = "https://git.example.org:8443"
        kind = "oidc"

        """

    @Test(arguments: [
        (ProgramRule.Condition.host, "dev.azure.com", "dev.azure.com", true),
        (.host, "DEV.azure.com", "dev.azure.com:443", true), (.host, "dev.azure.com:8443", "dev.azure.com", false),
        (.host, "*.visualstudio.com", "contoso.visualstudio.com", true),
        (.host, "*.visualstudio.com", "visualstudio.com", false),
        (.host, "*.visualstudio.com", ".visualstudio.com", false),
        (.host, "azure.com", "dev.azure.com", false), (.host, "[::1]", "[::1]:8080", false),
        (.host, "[::1]:8080", "[::1]:8080", true),
        (.host, "localhost", "localhost:44049", false), (.host, "git.example.com", "git.example.com:8443", false),
        (.host, "git.example.com:443", "git.example.com", true),
        (.host, "*.example.com:8443", "git.example.com", false),
        (.path, "contoso", "contoso/x", true), (.path, "/contoso/", "contoso", true),
        (.path, "contoso", "contoso2/x", false), (.path, "contoso", "a/../contoso", false),
        (.path, "contoso", "contoso/../fabrikam", false), (.path, "contoso", "contoso/%2E%2e/fabrikam", false),
        (.organization, "Contoso", "contoso", true), (.organization, "contoso", "contoso2", false),
        (.program, "git", "git", true), (.program, "git", "Git", false), (.program, "git", "git-lfs", false),
        (.cluster, "https://k.example.org", "https://k.example.org", true),
        (.cluster, "https://k.example.org/", "https://K.example.org:443", true),
        (.cluster, "https://k.example.org", "https://k.example.org:6443", false),
        (.cluster, "https://k.example.org", "https://k.example.org/evil", false), (.cluster, "*", "https://x", true),
        (.registry, "*.azurecr.io", "Contoso.azurecr.io", true),
        (.directory, "~/work", "/home/ada/work/x", true), (.directory, "~", "/home/ada", true),
        (.directory, "~/work", "/home/ada/workshop", false), (.directory, "/srv", "/home/ada/srv", false),
    ])
    func `A condition is about whole names, and a path about whole parts`(
        condition: ProgramRule.Condition, wanted: String, found: String, fits: Bool
    ) {
        var request = ProgramRequest(program: condition == .program ? found : "git", home: "/home/ada")
        switch condition {
        case .program: break
        case .host: request = ProgramRequest(program: "git", host: found)
        case .path: request = ProgramRequest(program: "git", path: found)
        case .organization: request.organization = found
        case .cluster: request.cluster = found
        case .registry: request = ProgramRequest(program: "docker", registry: found)
        case .directory: request.directory = found
        }
        #expect(
            (ProgramRule([condition: ConditionValue(settings: wanted, of: condition)]).mismatch(with: request) == nil)
                == fits)
    }

    @Test func `A condition on what a request does not say is not fulfilled`() {
        for condition in ProgramRule.Condition.allCases where condition != .program {
            let rule = ProgramRule([condition: ConditionValue(settings: "x", of: condition)])
            #expect(rule.mismatch(with: ProgramRequest(program: "x")) == condition)
        }
    }

    @Test func `A client of the settings with a well-known name is listed once`() throws {
        let settings = try Self.settings(Self.clients + "[clients.\"Azure CLI\"]\nclient_id = \"cli-id\"\n")
        #expect(
            throws: Refusal.unknownClient(
                "x", known: ["Azure CLI", "forge", "work", "azure-cli", "azure-powershell", "visual-studio"])
        ) {
            try settings.knownClient(named: "x")
        }
    }

    @Test func `The first rule that fits counts, and those before it say what is not so`() throws {
        let settings = try Self.settings(
            Self.clients + """
                [[rules]]
                host = "github.com"
                account = "grace"
                [[rules]]
                host = "dev.azure.com"
                organization = "contoso"
                account = "ada"
                tenant = "contoso.example"
                [[rules]]
                host = "dev.azure.com"
                account = "taro"
                """)
        let request = ProgramRequest(
            program: "git", host: "dev.azure.com", path: "contoso/x", organization: "contoso")
        let choice = try #require(Self.resolved(request, settings, .azureDevOps))
        #expect(choice.rule?.line == 11 && choice.account == "ada" && choice.tenant == "contoso.example")
        #expect(choice.passedOver.map(\.condition) == [.host] && choice.passedOver.map(\.rule.line) == [8])
        var other = request
        other.organization = "fabrikam"
        #expect(Self.resolved(other, settings, .azureDevOps)?.account == "taro")
        let options = TokenOptions { ($0.account, $0.tenant) = ("hedy", "t") }
        let named = Self.resolved(request, settings, .azureDevOps, options)
        #expect(named?.account == "hedy" && named?.tenant == "t")
    }

    private static func resolved(
        _ request: ProgramRequest, _ settings: Settings, _ place: Place, _ options: TokenOptions = TokenOptions()
    ) -> ResolvedClient? {
        try? ResolvedClient(TokenQuery(options, request, place), ResolutionWorld(settings))
    }

    @Test(arguments: [
        ("rules = 7\n", 1), ("[rules]\nhost = \"x\"\n", 1), ("[[rules]]\nhost = \"x\"\n", 1),
        ("[[rules]]\naccount = \"a\"\n[[rules]]\nhots = \"x\"\n", 4),
        ("[[rules]]\naccount = \"a\"\nhost = \"https://x.example\"\n", 3),
        ("[[rules]]\naccount = \"a\"\n\n[[rules]]\nclient = \"gone\"\n", 5),
        ("[[rules]]\nscopes = [\"a b\"]\n", 2), ("[[rules]]\naccount = \"\"\n", 2),
        ("[[rules]]\naccount = \"a\"\nhost = \"a.*.example\"\n", 3),
    ])
    func `A mistake in a rule is told with its line and what to write`(text: String, line: Int) {
        #expect { try Self.settings(text) } throws: {
            guard let failure = $0 as? Failure else { return false }
            return failure.code == .configuration && failure.message.hasPrefix("config.toml:\(line): ")
                && failure.hint?.words.hasPrefix("write ") == true
        }
    }
}
