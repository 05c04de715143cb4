import Identity
import Testing

@testable import CommandSupport
@testable import Programs

/// Conditions as a settings file has them.
func written(_ texts: [ProgramRule.Condition: String]) -> ProgramRule.Conditions {
    Dictionary(uniqueKeysWithValues: texts.map { ($0.key, ConditionValue(settings: $0.value, of: $0.key)) })
}

@Suite struct ConditionValueTests {
    private static let patterns: [(ProgramRule.Condition, String)] = [
        (.cluster, "*"), (.host, "*.example.org"), (.host, "*."), (.host, "*.example.org:8443"),
        (.registry, "*.azurecr.io"), (.directory, "~"), (.directory, "~/work"),
    ]

    /// What looks like a pattern somewhere, and is none here.
    private static let literals: [(ProgramRule.Condition, String)] = [
        (.cluster, "https://*"), (.cluster, "https://*.example.org"), (.cluster, "**"), (.cluster, " *"),
        (.cluster, "*\n"), (.cluster, "\"*\""), (.cluster, "*\"\n[[rules]]\ncluster = \"*"), (.cluster, ".*"),
        (.cluster, "%s"), (.cluster, "~"), (.program, "*"), (.program, "~"), (.program, "git*"),
        (.organization, "*"), (.organization, "?"), (.organization, "[a-z]"), (.directory, "/home/ada/*"),
        (.directory, "/*"), (.directory, "/~"), (.directory, "/home/ada/~"), (.directory, "/a\nb"),
        (.directory, "/a\\*"),
    ]

    private static func settings(_ rule: ProgramRule) throws -> Settings {
        let client = "[clients.work]\nclient_id = \"w\"\n"
        let text = try SettingsFile("config.toml").adding([rule], to: Array(client.utf8))
        return try SettingsReader(path: "config.toml", text: String(decoding: text, as: UTF8.self)).settings()
    }

    @Test(arguments: patterns)
    func `A value from outside that the settings would read as a pattern becomes no condition`(
        condition: ProgramRule.Condition, text: String
    ) {
        #expect(ConditionValue(settings: text, of: condition).isPattern)
        #expect { try ConditionValue(literal: text, of: condition) } throws: { error in
            (error as? Failure)?.message.contains("\"\(text)\"") == true
        }
    }

    @Test(arguments: literals)
    func `A value from outside is read back as itself, and matches nothing else`(
        condition: ProgramRule.Condition, text: String
    ) throws {
        let value = try ConditionValue(literal: text, of: condition)
        let settings = try Self.settings(ProgramRule([condition: value], client: "work"))
        #expect(settings.rules.map(\.conditions) == [[condition: value]])
        for other in ["https://evil.example", "evil", "/home/ada/work", "/home/grace", "git", "docker"] {
            var request = ProgramRequest(program: "kubectl", home: "/home/ada")
            switch condition {
            case .program: request.program = other
            case .cluster: request.cluster = other
            case .organization: request.organization = other
            case .directory: request.directory = other
            case .host, .path, .registry: Issue.record("no literal of a \(condition)")
            }
            #expect(settings.rules[0].mismatch(with: request) == condition, "\(other)")
        }
    }

    @Test func `A request with a wildcard for its target has no rule, and the refusal says why`() {
        for (condition, text) in Self.patterns {
            var request = ProgramRequest(program: "kubectl", home: "/home/ada")
            switch condition {
            case .cluster: request.cluster = text
            case .host: request.host = text
            case .registry: request.registry = text
            case .program, .organization, .path, .directory: continue
            }
            #expect(throws: Failure.self) { try request.conditions() }
            let failure = Refusal.placeNotNamed(request, condition).failure
            #expect(failure.message.contains("in a rule, that is a pattern"))
            #expect(!"\(failure.hint.map { "\($0)" } ?? "")".contains("= \"\(text)\""))
        }
    }

    @Test func `The folder and the path of a request are in no rule for requests like it`() throws {
        let request = ProgramRequest(program: "git", host: "git.example", path: "*", directory: "~", home: "/home/ada")
        #expect(try request.conditions() == written([.program: "git", .host: "git.example"]))
    }

    @Test func `A kubeconfig is searched for a cluster by its address, not by a pattern`() throws {
        let text = """
            {"contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
             "clusters":[{"name":"k","cluster":{"server":"https://k.example"}}],
             "users":[{"name":"u","user":{"exec":{"command":"kubelogin","args":["get-token"]}}}]}
            """
        let plugins = try #require(KubeconfigPlugins(Array(text.utf8)))
        #expect(plugins.uses(of: "https://k.example").count == 1)
        #expect(plugins.uses(of: "*").isEmpty)
    }
}
