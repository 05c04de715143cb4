import FoundationEssentials
import Identity
import Testing
import TokenCache

@testable import CommandSupport

@Suite struct UsualSignInTests {
    private static func settings(_ text: String) throws -> Settings {
        try SettingsReader(path: "/c/config.toml", text: text).settings()
    }

    // MARK: Names of clients

    @Test func `A well-known client has one name without blanks, unless the settings took it`() throws {
        let id = try #require(Client.wellKnown("Azure CLI")?.id)
        /// The settings, and the name of Azure CLI with the ID that it means.
        for (text, name, clientID) in [
            ("", "azure-cli", id),
            ("[clients.mine]\nclient_id = \"\(id)\"\n", "mine", id),
            ("[clients.\"Azure CLI\"]\nclient_id = \"\(id)\"\n", "Azure CLI", id),
            ("[clients.azure-cli]\nclient_id = \"x\"\n", "Azure CLI", id),
            ("[clients.azure-cli]\nclient_id = \"x\"\n[clients.\"Azure CLI\"]\nclient_id = \"y\"\n", id, id),
        ] {
            let settings = try Self.settings(text)
            #expect(settings.choice(id: id).name == name, "\(text)")
            // What is printed goes back into --client.
            #expect(try settings.knownClient(named: name).clientID == clientID, "\(text)")
        }
        let own = try Self.settings("[clients.azure-cli]\nclient_id = \"x\"\n")
        #expect(try own.knownClient(named: "azure-cli").clientID == "x")
        for name in ["azure-cli", "Azure CLI", "azure cli", "AZURE-CLI", id.uppercased()] {
            #expect(try Self.settings("").knownClient(named: name).name == "azure-cli")
        }
        #expect(
            Client.isSameName("Azure CLI", "azure-cli") && Client.isSameName("x", "x") && Client.isSameName(nil, nil))
        #expect(!Client.isSameName("x", "y") && !Client.isSameName("azure-cli", nil))
    }

    // MARK: The lines for a shell

    @Test(
        arguments: [
            (ShellSyntax.sh, "ada", "export X=ada"), (.fish, "ada", "set -gx X 'ada'"), (.csh, "ada", "setenv X 'ada'"),
            (.sh, "zoe o'neil $(id) `id`", "export X='zoe o'\\''neil $(id) `id`'"),
            (.fish, "o'neil \\ $x (id)", "set -gx X 'o\\'neil \\\\ $x (id)'"),
            (.csh, "o'neil ! $x", "setenv X 'o'\\''neil \\! $x'"), (.sh, nil, "unset X"), (.fish, nil, "set -e X"),
            (.csh, nil, "unsetenv X"), (.sh, "", "export X=''"),
        ] as [(ShellSyntax, String?, String)])
    func `A value reaches the shell as it is`(syntax: ShellSyntax, value: String?, line: String) {
        #expect(syntax.line("X", value) == line)
    }

    // MARK: The settings

    @Test(arguments: [
        ("account = \"ada\"\n", "account needs the client"), ("tenant = \"t\"\n", "tenant needs the client"),
        ("client = \"azure-cli\"\naccount = \"\"\n", "account must not be empty"),
        ("client = \"azure-cli\"\naccount = 7\n", "account must be a string"),
    ])
    func `A usual account that cannot be meant is refused`(text: String, why: String) {
        #expect { _ = try Self.settings(text) } throws: { ($0 as? Failure)?.message.contains(why) == true }
    }

    private static func edit(_ text: String, _ body: (SettingsFile, Settings) throws -> Void) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/config.toml"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try body(SettingsFile(path), try SettingsReader(path: path, text: text).settings())
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test func `The usual sign-in is three lines at the top, and goes with its client`() throws {
        let text = "# mine\nclient = \"work\"  # usual\n\n[clients.work]\nclient_id = \"w\"\n"
        let set = try Self.edit(text) { file, _ in try file.set(usual: .init("azure-cli", "ada", "t")) }
        #expect(
            set == "account = \"ada\"\ntenant = \"t\"\n# mine\nclient = \"azure-cli\"  # usual\n\n"
                + "[clients.work]\nclient_id = \"w\"\n")
        let other = try Self.edit(set) { file, _ in try file.set("client", to: "work") }
        #expect(other == text)
        let gone = try Self.edit(set) { file, _ in try file.set(usual: .init(nil, nil, nil)) }
        #expect(gone == "# mine\n\n[clients.work]\nclient_id = \"w\"\n")
    }

    @Test func `A folder's rule goes before that of a folder above, and keeps its other lines`() throws {
        let above = "[[rules]]\ndirectory = \"/a\"\nclient = \"azure-cli\"\n"
        let git = "[[rules]]\nprogram = \"git\"\nclient = \"azure-cli\"\n"
        func rule(_ directory: String, _ client: String?, _ account: String?) -> ProgramRule {
            let condition = ConditionValue(settings: directory, of: .directory)
            return ProgramRule([.directory: condition], client: client, account: account)
        }
        let new = try Self.edit(git + "\n" + above) { file, settings in
            try file.set(folder: rule("/a/b", "vs-code", "ada"), among: settings.rules, before: settings.rules[1])
        }
        let below = "[[rules]]\ndirectory = \"/a/b\"\nclient = \"vs-code\"\naccount = \"ada\"\n"
        #expect(new == git + "\n" + below + "\n" + above)
        let commented = new.replacing("\"ada\"\n", with: "\"ada\"\n# why\nscopes = [\"s\"]\n")
        let changed = try Self.edit(commented) { file, settings in
            try file.set(folder: rule("/a/b", "azure-cli", nil), among: settings.rules, before: nil)
        }
        let kept = "[[rules]]\ndirectory = \"/a/b\"\nclient = \"azure-cli\"\n# why\nscopes = [\"s\"]\n"
        #expect(changed == git + "\n" + kept + "\n" + above)
        let unset = try Self.edit(changed) { file, settings in
            try file.set(folder: rule("/a/b", nil, nil), among: settings.rules, before: nil)
        }
        #expect(unset.contains("scopes = [\"s\"]") && !unset.contains("/a/b\"\nclient"))
        let removed = try Self.edit(new) { file, settings in
            try file.set(folder: rule("/a/b", nil, nil), among: settings.rules, before: nil)
        }
        #expect(removed == git + "\n" + above)
    }

    // MARK: Which one is used

    @Test func `A shell comes before a folder, a folder before the settings, each with its own client only`() throws {
        let settings = try Self.settings(
            "client = \"azure-cli\"\naccount = \"a\"\n[[rules]]\ndirectory = \"/a\"\nclient = \"vs-code\"\n"
                + "account = \"b\"\ntenant = \"t\"\n")
        func found(
            _ client: String?, _ account: String?, _ folder: String, _ fill: (inout TokenOptions) -> Void = { _ in }
        )
            throws -> [String?]
        {
            let world = ResolutionWorld(settings, client: client, account: account) {
                nil
            } uses: {
                []
            } folder: {
                ProgramRequest(program: "foyer", directory: folder)
            }
            var query = TokenQuery(TokenOptions(fill))
            query.takesUsualAccount = true
            let by = try ResolvedClient(query, world)
            return [by.client?.name, by.account, by.tenant, by.accountSource.rawValue]
        }
        #expect(try found(nil, nil, "/") == ["azure-cli", "a", nil, "settings"])
        #expect(try found(nil, nil, "/a/b") == ["vs-code", "b", "t", "rule"])
        #expect(try found("visual-studio", "c", "/a") == ["visual-studio", "c", nil, "environment"])
        #expect(try found("visual-studio", nil, "/a") == ["visual-studio", nil, nil, "nobody"])
        #expect(try found(nil, "c", "/a") == ["vs-code", "c", nil, "environment"])
        // A client without an account in the shell leaves the account to nobody, even if it is the folder's.
        #expect(try found("vs-code", nil, "/a") == ["vs-code", nil, nil, "nobody"])
        #expect(try found("visual-studio", "c", "/a") { $0.client = "vs-code" } == ["vs-code", "b", "t", "rule"])
        #expect(try found(nil, nil, "/a") { $0.client = "azure-cli" } == ["azure-cli", "a", nil, "settings"])
        #expect(try found(nil, nil, "/a") { $0.client = "kubelogin" } == ["kubelogin", nil, nil, "nobody"])
        #expect(try found(nil, nil, "/a") { $0.account = "d" } == ["vs-code", "d", nil, "option"])
        #expect(try found(nil, nil, "/a") { $0.tenant = "u" } == ["vs-code", "b", "u", "rule"])
    }
}
