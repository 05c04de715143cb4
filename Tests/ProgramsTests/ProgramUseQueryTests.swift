import Glibc
import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// A use of the record as the request that it was, for the rules of now.
@Suite struct ProgramUseQueryTests {
    private static let environment = ProcessEnvironment(workingFolder: "/") { $0 == "HOME" ? "/" : nil }

    private static let text = """
        client = "work"
        [clients.work]
        client_id = "work-id"

        [[rules]]
        program = "terraform"
        directory = "/srv/x"
        account = "grace"

        [[rules]]
        host = "dev.azure.com"  # the work's
        organization = "contoso"
        # nobody else
        account = "ada"

        [theme_of_nobody]
        """

    private static func settings() throws -> Settings {
        try SettingsReader(path: "config.toml", text: text.replacing("\n[theme_of_nobody]", with: "")).settings()
    }

    private static func resolved(_ value: JSONValue) throws -> ResolvedClient? {
        let settings = try settings()
        let use = try #require(ProgramUse(value))
        let query = try #require(use.query(settings, environment))
        return try? ResolvedClient(query, ResolutionWorld(settings))
    }

    @Test func `The rule of now is found for what was asked then`() throws {
        let git = try Self.resolved([
            "program": "git", "host": "dev.azure.com", "path": "contoso/x/_git/x", "organization": "contoso",
            "clientSource": "program", "client": "Visual Studio", "at": 1,
        ])
        #expect(git?.rule?.line == 10 && git?.account == "ada")
        let nameOnly = try Self.resolved([
            "program": "git", "host": "dev.azure.com", "organization": "contoso", "at": 1,
        ])
        #expect(nameOnly?.rule?.line == 10)
        let terraform = try Self.resolved([
            "program": "terraform", "directory": "/srv/x/y", "scopes": ["https://management.azure.com/.default"],
            "at": 1,
        ])
        #expect(terraform?.rule?.line == 5 && terraform?.namedScopes(.aad) == ["https://management.azure.com/.default"])
        #expect(try Self.resolved(["program": "terraform", "directory": "/home", "at": 1])?.rule == nil)
        // A host of a stranger gets nothing now either.
        #expect(try Self.resolved(["program": "git", "host": "stranger.example", "at": 1]) == nil)
    }

    @Test func `A client that an option named is named again, by its name where it still is one`() throws {
        let named = try Self.resolved([
            "program": "kubectl", "clientSource": "option", "client": "work", "clientId": "work-id", "at": 1,
        ])
        #expect(named?.client?.name == "work" && named?.source == .option)
        let gone = try Self.resolved([
            "program": "kubectl", "clientSource": "option", "client": "old", "clientId": "old-id", "at": 1,
        ])
        #expect(gone?.client?.clientID == "old-id")
        #expect(try Self.resolved(["program": "az", "at": 1])?.source == .settings)
    }

    @Test func `No rule is looked for where none decides`() throws {
        let use = try #require(ProgramUse(["program": "id-token", "at": 1]))
        #expect(use.query(try Self.settings(), Self.environment) == nil)
    }

    @Test func `A rule is shown as a person wrote it, up to the next header`() throws {
        let path = (ProcessEnvironment()["TMPDIR"] ?? "/tmp") + "/foyer-rule-\(getpid()).toml"
        let bytes = Array(Self.text.utf8)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
        defer { remove(path) }
        let rules = try Self.settings().rules
        #expect(
            SettingsFile(path).text(of: rules[1]) == [
                "[[rules]]", "host = \"dev.azure.com\"  # the work's", "organization = \"contoso\"", "# nobody else",
                "account = \"ada\"",
            ])
        #expect(SettingsFile(path).text(of: rules[0]).count == 4)
        var gone = rules[0]
        gone.line = 99
        #expect(SettingsFile(path).text(of: gone).isEmpty && SettingsFile(path + "x").text(of: rules[0]).isEmpty)
    }
}
