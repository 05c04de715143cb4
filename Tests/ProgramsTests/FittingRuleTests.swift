import Glibc
import Identity
import Testing

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// The rules that would end a refusal, as the resolution says.
@Suite struct FittingRuleTests {
    /// A settings file and a store of their own.
    private final class Place {
        let folder: String
        let environment: ProcessEnvironment

        init(_ settings: String, store: [String]) throws {
            var name = Array("/tmp/foyer-rules.XXXXXX".utf8CString)
            let folder = name.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
            self.folder = folder
            let (config, tokens) = (folder + "/config.toml", folder + "/tokens.json")
            let variables = [
                "HOME": folder, "FOYER_CONFIG": config, "FOYER_STORE": tokens, "XDG_STATE_HOME": folder,
                "XDG_RUNTIME_DIR": folder,
            ]
            environment = ProcessEnvironment(workingFolder: "/") { variables[$0] }
            try SettingsFile(config).replace(with: Array(settings.utf8))
            let read = try SettingsReader(path: config, text: settings).settings()
            try SettingsFile(tokens).replace(with: ResolutionTests.storeText(store, read))
        }

        deinit {
            for name in Folder.names(in: folder) { remove(folder + "/" + name) }
            rmdir(folder)
        }

        func call(_ door: ResolutionTests.Door) throws -> ProgramCall {
            let query = try door.query(TokenOptions())
            let context = try CommandContext(TokenOptions { $0.neverAsks = true }, environment: environment)
            return try #require(try ProgramCall(query, context, isAsked: false))
        }
    }

    private static let settings = "client = \"work\"\n[clients.work]\nclient_id = \"work-id\"\nscopes = [\"s\"]\n"

    private func words(_ rule: FittingRule) -> String {
        rule.rule.members.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    @Test func `Each account that fits has a rule for the program, and one for its target`() throws {
        let place = try Place(Self.settings, store: ["work:ada", "work:grace"])
        #expect(
            try place.call(.devops).fittingRules.map(words) == [
                "program=git account=ada@contoso.example", "program=git account=grace@contoso.example",
                "program=git host=dev.azure.com organization=contoso account=ada@contoso.example",
                "program=git host=dev.azure.com organization=contoso account=grace@contoso.example",
            ])
        #expect(
            try place.call(.run).fittingRules.map(words) == [
                "program=terraform account=ada@contoso.example", "program=terraform account=grace@contoso.example",
            ])
    }

    @Test func `A rule that does not name the cluster would not end the refusal, so it is not offered`() throws {
        let place = try Place(Self.settings, store: ["work:ada", "work:grace"])
        let rules = try place.call(.kubectl).fittingRules
        #expect(rules.map(\.isForTarget) == [true, true])
        #expect(rules.allSatisfy { $0.rule.conditions[.cluster]?.text == "https://k.example.org" })
    }

    @Test func `Where there is a token, or no account fits, no rule is offered`() throws {
        #expect(try Place(Self.settings, store: ["work:ada"]).call(.devops).fittingRules.isEmpty)
        #expect(try Place(Self.settings, store: []).call(.devops).fittingRules.isEmpty)
    }

    @Test func `With each rule written the program gets that account, and the file is as before once it is undone`()
        throws
    {
        for (settings, doors) in [
            (Self.settings, [ResolutionTests.Door.devops, .run, .kubectl]),
            (Self.settings + "[[rules]]\nprogram = \"git\"\ntenant = \"t\"\n", [.devops]),
        ] {
            let place = try Place(settings, store: ["work:ada", "work:grace"])
            for door in doors {
                let call = try place.call(door)
                #expect(!call.fittingRules.isEmpty)
                for fitting in call.fittingRules {
                    let file = SettingsFile(place.folder + "/config.toml")
                    let line = file.line(ofAdding: fitting.rule, before: call.resolution.by.rule)
                    let change = try file.add(rule: fitting.rule, before: call.resolution.by.rule)
                    let after = try place.call(door)
                    guard case .resolved(let account?) = after.resolution.outcome else {
                        Issue.record("still refused: \(words(fitting))")
                        continue
                    }
                    #expect(account.id == fitting.account.id && after.resolution.by.rule?.line == line)
                    try SettingsFile.undo(change)
                    #expect(file.lines.joined(separator: "\n") == settings)
                }
            }
        }
    }

    @Test func `A file that has changed since is left alone`() throws {
        let place = try Place(Self.settings, store: ["work:ada", "work:grace"])
        let call = try place.call(.run)
        let file = SettingsFile(place.folder + "/config.toml")
        let change = try file.add(rule: call.fittingRules[0].rule)
        try file.set("theme", to: "nord")
        let lines = file.lines
        #expect { try SettingsFile.undo(change) } throws: { ($0 as? Failure)?.code == .configuration }
        #expect(file.lines == lines)
    }
}
