import Foundation
import Identity
import SilentCore
import StrictTOML
import Testing
import TokenCache

@testable import CommandSupport
@testable import foyer_main

@Suite struct SettingsTests {
    private static let text = """
        # mine
        client = "work"  # the usual one
        theme = "nord"

        [clients.work]
        client_id = "11111111-2222-3333-4444-555555555555"
        authority = "https://login.microsoftonline.com/organizations"
        scopes = ["User.Read"]

        [stores."azure-cli"]
        write = false   # never
        """ + "\n"

    private static func read(_ text: String) throws -> Settings {
        try SettingsReader(path: "config.toml", text: text).settings()
    }

    @Test func `What the kernel writes in pieces is read to its end`() throws {
        let bytes = try #require(try TextFile.read("/proc/self/maps", limit: 1 << 20, what: "list of mappings"))
        #expect(bytes.count > 4096 && String(decoding: bytes, as: UTF8.self).contains("[stack]"))
    }

    /// A settings file of its own, and its text afterwards.
    private static func edit(_ text: String?, _ body: (SettingsFile) throws -> Void) throws -> String {
        let folder = "/tmp/foyer-settings-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/config.toml"
        if let text {
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        try body(SettingsFile(path))
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test func `Writers of the settings at the same time each keep what the others wrote`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let folder = FileManager.default.temporaryDirectory.path + "/settings-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/config.toml"
            for number in 0..<12 {
                group.addTask {
                    #expect(throws: Never.self) {
                        try SettingsFile(path).add(client: "r\(number)", clientID: "id-\(number)", [])
                    }
                }
            }
            try await group.waitForAll()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect((0..<12).allSatisfy { text.contains("id-\($0)\"") }, "\(text)")
        }
    }

    @Test func `What a program without the lock writes during a change is not written over`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/settings-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "a\n".write(toFile: path, atomically: true, encoding: .utf8)
        var attempts = 0
        try ReplacedFile(path, what: "test file").replace { () throws(Failure) in
            attempts += 1
            let bytes = Array(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").utf8)
            if attempts == 1 { try? "a\nb\n".write(toFile: path, atomically: true, encoding: .utf8) }
            return bytes + Array("c\n".utf8)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\nb\nc\n" && attempts == 2)
    }

    @Test func `A file is read as it is meant`() throws {
        let settings = try Self.read(Self.text)
        let work = try #require(settings.client(named: "work"))
        #expect(settings.defaultClient == "work" && settings.theme == "nord" && work.scopes == ["User.Read"])
        #expect(work.clientID == "11111111-2222-3333-4444-555555555555")
        #expect(settings.stores.first?.name == "azure-cli" && settings.stores.first?.mayWrite == false)
    }

    @Test(arguments: [
        ("colour = 1\n", ":1:"), ("\n\nclient = 7\n", ":3:"), ("client = \"gone\"\n", ":1:"),
        ("[clients.work]\nauthority = \"https://id.example.org\"\n", ":1:"), ("clients = 3\n", ":1:"),
    ])
    func `A mistake is refused with its line and what to write`(text: String, line: String) {
        #expect { try Self.read(text) } throws: {
            guard let failure = $0 as? Failure else { return false }
            return failure.code == .configuration && failure.message.contains("config.toml" + line)
                && failure.hint?.words.hasPrefix("write ") == true
        }
    }

    private static func secret(_ lines: String) throws -> ClientSecret? {
        try read("[clients.work]\nclient_id = \"c\"\n" + lines + "\n").clients.first?.behaviour.clientSecret
    }

    @Test(
        arguments: [
            ("", nil), (#"client_secret = "kept""#, ClientSecret(.kept)),
            (#"client_secret_file = "~/secret""#, ClientSecret(.file("~/secret"))),
            (#"client_secret_command = ["pass", "show", "x y"]"#, ClientSecret(.command(["pass", "show", "x y"]))),
            (#"client_secret_public = "GOCSPX-x""#, ClientSecret(.published(Secret("GOCSPX-x")))),
            (
                "client_secret = \"kept\"\ntoken_endpoint_auth_method = \"client_secret_post\"",
                ClientSecret(.kept, method: .post)
            ),
        ] as [(String, ClientSecret?)])
    func `A client's secret is somewhere else, except one that is published`(lines: String, secret: ClientSecret?)
        throws
    {
        #expect(try Self.secret(lines) == secret)
    }

    @Test(arguments: [
        (#"client_secret = "s3cret-pasted""#, "must be \"kept\""), ("client_secret = 5", "must be a string"),
        ("client_secret_file = \"s3cret-pasted\"", "absolute path"),
        ("client_secret_command = \"s3cret-pasted\"", "list of strings"), ("client_secret_command = []", "no program"),
        ("client_secret_public = \"s3cret-pasted\\n\\n\"", "not a client secret"),
        ("client_secret = \"kept\"\nclient_secret_public = \"s3cret-pasted\"", "cannot both be set"),
        ("token_endpoint_auth_method = \"client_secret_post\"", "with a secret"),
        ("client_secret = \"kept\"\ntoken_endpoint_auth_method = \"none\"", "unknown method"),
    ])
    func `A setting that could be the secret itself is refused without repeating it`(lines: String, words: String) {
        #expect { try Self.secret(lines) } throws: {
            guard let failure = $0 as? Failure else { return false }
            let text = failure.message + (failure.hint?.words ?? "")
            return text.contains(words) && !text.contains("s3cret-pasted")
        }
    }

    @Test func `The secret of the settings goes to the provider of the settings, whatever an option names`() throws {
        let settings = try Self.read(
            """
            [clients.lab]
            client_id = "c"
            authority = "https://id.example.org/one"
            kind = "oidc"
            issuer = "https://id.example.org/one"
            client_secret_file = "~/secret"

            """)
        let environment = ProcessEnvironment { ["HOME": "/home/ada"][$0] }
        for (authority, isSent) in [
            (nil, true), ("https://id.example.org/one", true), ("https://id.example.org/two", false),
            ("https://evil.example", false), ("https://login.microsoftonline.com/common", false),
        ] as [(String?, Bool)] {
            let options = TokenOptions {
                $0.authority = authority
                $0.client = "lab"
                $0.neverAsks = true
            }
            let context = try CommandContext(options, environment: environment, settings: settings)
            let client = try context.cachedClient(try context.client(), cache: TokenCache(path: "/nowhere/cache"))
            #expect(
                client.configuration.clientSecret == (isSent ? ClientSecret(.file("/home/ada/secret")) : nil),
                "\(authority ?? "")")
        }
    }

    @Test func `One line is changed, its comment stays, and so does every other line`() throws {
        let after = try Self.edit(Self.text) { try $0.set("theme", to: "gruvbox") }
        #expect(after == Self.text.replacing("theme = \"nord\"", with: "theme = \"gruvbox\""))
        let commented = try Self.edit(Self.text) { try $0.set("client", to: "Azure CLI") }
        #expect(commented.contains("client = \"Azure CLI\"  # the usual one\n"))
        let flag = try Self.edit(Self.text) { try $0.set("write", ofStore: "azure-cli", to: true) }
        #expect(flag == Self.text.replacing("write = false", with: "write = true"))
    }

    @Test func `What is not there yet is added`() throws {
        #expect(try Self.edit(nil) { try $0.set("mouse", to: true) } == "mouse = true\n")
        let added = try Self.edit(Self.text) { try $0.set("write", ofStore: "azd", to: true) }
        #expect(added == Self.text + "\n[stores.azd]\nwrite = true\n")
        let client = try Self.edit(Self.text) {
            try $0.add(client: "lab", clientID: "lab-cli", [(key: "authority", value: .text("https://id.example.org"))])
        }
        #expect(
            client == Self.text
                + "\n[clients.lab]\nclient_id = \"lab-cli\"\nauthority = \"https://id.example.org\"\n")
    }

    @Test func `A file that would not say what was wanted is left as it is`() throws {
        for before in ["client = 7\n", "this is no TOML\n", Self.text + "unknown = 1\n"] {
            var failure: Failure?
            let after = try Self.edit(before) {
                do { try $0.set("theme", to: "nord") } catch { failure = error as? Failure }
            }
            #expect(after == before && failure?.code == .configuration)
        }
    }
}
