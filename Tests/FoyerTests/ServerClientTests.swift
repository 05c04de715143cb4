import Foundation
import Identity
import Testing

@testable import CommandSupport

/// `foyer sign-in HOST`.
@Suite struct ServerClientTests {
    private static func client(_ host: String, server: String? = nil, id: String? = nil, _ settings: String = "")
        throws -> ServerClient
    {
        let settings = try SettingsReader(path: "/c/config.toml", text: settings).settings()
        return try ServerClient(at: host, server: server, clientID: id, settings)
    }

    private static func failure(_ host: String, server: String? = nil, id: String? = nil, _ settings: String = "")
        -> Failure?
    {
        do { _ = try client(host, server: server, id: id, settings) } catch { return error as? Failure }
        return nil
    }

    private static func asked(_ client: ClientChoice) throws -> ScopeSet {
        client.defaults.scopes(at: try #require(client.defaults.own), clientID: client.clientID)
    }

    @Test func `A known host and a client ID are all that a sign-in needs`() throws {
        let github = try Self.client("github.com", id: "Ov23li")
        #expect(github.isNew && github.choice.name == "github.com")
        #expect(try Authority(#require(github.choice.authority)).kind == .oauth2)
        #expect(
            github.choice.lines() == [
                "[clients.\"github.com\"]", "client_id = \"Ov23li\"", "authority = \"https://github.com/login/oauth\"",
            ])
        #expect(try Self.asked(github.choice) == ["repo", "read:user"])
        let gitlab = try Self.client("https://gitlab.com/", id: "x").choice
        #expect(gitlab.authority == "https://gitlab.com/")
        #expect(try Self.asked(gitlab).contains("write_repository"))
    }

    @Test func `A company's own host is named with its product, which the settings keep`() throws {
        let client = try Self.client("git.corp.example:8443", server: "github", id: "Iv1").choice
        #expect(client.authority == "https://git.corp.example:8443/login/oauth")
        #expect(client.lines().contains("server = \"github\"") && !client.lines().contains { $0.hasPrefix("kind") })
        let below = try Self.client("https://corp.example/gitlab", server: "gitlab", id: "x").choice
        #expect(below.authority == "https://corp.example/gitlab")
    }

    @Test func `The saved client is found by its host from then on, also at a company's own`() throws {
        for (host, server) in [("github.com", nil), ("git.corp.example", "github"), ("git.corp.example", "gitlab")] {
            let first = try Self.client(host, server: server, id: "c1").choice
            let text = first.lines().joined(separator: "\n")
            let again = try Self.client(host, text)
            #expect(!again.isNew && again.choice == first, "\(host)")
            #expect(try Self.client(host, server: server, id: "c2", text).isNew)
            #expect(try Self.client(host, server: server, id: "c1", text).choice == first)
        }
    }

    @Test func `What is saved reads back as the same client`() throws {
        let folder = "/tmp/foyer-server-client-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let client = try Self.client("git.corp.example", server: "github", id: "c\"1").choice
        try SettingsFile(folder + "/config.toml").add(client)
        #expect(try Settings.load(folder + "/config.toml", isNamed: true).clients == [client])
    }

    @Test func `Without a client ID the hint says where to register one, and what to run then`() throws {
        let failure = try #require(Self.failure("github.com"))
        #expect(failure.code == .usage && failure.message == "no client ID for github.com")
        let hint = failure.hint?.words ?? ""
        #expect(hint.contains("https://github.com/settings/developers") && hint.contains("http://127.0.0.1/"))
        #expect(hint.contains("device flow enabled"))
        #expect(hint.hasSuffix("then run: foyer sign-in github.com --client-id ID"))
        let own = Self.failure("git.corp.example", server: "gitlab")?.hint?.words ?? ""
        #expect(own.contains("https://git.corp.example/-/user_settings/applications"))
        #expect(own.hasSuffix("foyer sign-in git.corp.example --server gitlab --client-id ID"))
    }

    @Test(arguments: ["bitbucket.org", "slack.com", "auth.atlassian.com", "accounts.google.com"])
    func `A server that needs a secret says so before anything opens, with the settings to write`(host: String) throws {
        for id in [nil, "c1"] {
            let failure = try #require(Self.failure(host, id: id))
            guard case .write(let lines, let place)? = failure.hint else {
                Issue.record("\(failure)")
                return
            }
            #expect(lines.first == "[clients.\"\(host)\"]" && lines.contains("client_secret = \"kept\""))
            #expect(lines.contains("client_id = \"\(id ?? "ID")\""))
            #expect(place.contains("foyer secret set \(host)") && place.hasPrefix("/c/config.toml"))
            // The colon before the lines is no part of a command.
            let words = try #require(failure.hint?.words.split(separator: "\n").first)
            #expect(words.hasSuffix("\"foyer sign-in --client \(host)\":"), "\(words)")
        }
    }

    @Test func `With its secret in the settings, such a client signs in`() throws {
        let text = "[clients.bb]\nclient_id = \"c1\"\nauthority = \"https://bitbucket.org\"\n"
        #expect(try Self.client("bitbucket.org", text).choice.name == "bb")
    }

    @Test func `Anything else is wrong usage, and says what to write`() throws {
        #expect(Self.failure("ada@contoso.example")?.hint?.words.contains("--account") == true)
        #expect(Self.failure("git.corp.example", id: "c1")?.hint?.words.contains("--server") == true)
        #expect(Self.failure("git.corp.example", server: "gitub", id: "c1")?.message == "unknown server \"gitub\"")
        #expect(
            Self.failure("github.com", server: "gitlab", id: "c1")?.message.contains("not a server of GitLab") == true)
        #expect(Self.failure("http://github.com", id: "c1") != nil)
        let two =
            "[clients.a]\nclient_id = \"1\"\nauthority = \"https://github.com\"\n"
            + "[clients.b]\nclient_id = \"2\"\nauthority = \"https://github.com\"\n"
        #expect(Self.failure("github.com", two)?.hint?.words == "choose one: --client a, --client b")
    }

    @Test(arguments: [
        ("lab", "run \"foyer sign-in --client lab\""), ("lab-cli", "run \"foyer sign-in --client-id lab-cli\""),
        ("my lab", "run \"foyer sign-in --client 'my lab'\""),
        ("Azure CLI", "run \"foyer sign-in --client azure-cli\""),
        ("lba", "did you mean \"foyer sign-in --client lab\"?"),
        ("githb.com", "did you mean \"foyer sign-in github.com\"?"),
        ("kubelogn", "did you mean \"foyer sign-in --client kubelogin\"?"),
    ])
    func `A client in the host's place is answered with the command for it`(place: String, hint: String) throws {
        let text =
            "[clients.lab]\nclient_id = \"lab-cli\"\nauthority = \"https://id.example.org\"\n"
            + "[clients.\"my lab\"]\nclient_id = \"c2\"\nauthority = \"https://id.example.org\"\n"
        for id in [nil, "c9"] {
            let failure = try #require(Self.failure(place, id: id, text))
            #expect(failure.code == .usage && failure.hint?.words.hasPrefix(hint) == true, "\(failure)")
        }
    }

    @Test func `A host with a client's name is a server once its product is named`() throws {
        let text = "[clients.lab]\nclient_id = \"lab-cli\"\nauthority = \"https://id.example.org\"\n"
        #expect(try Self.client("lab", server: "gitlab", id: "c1", text).choice.authority == "https://lab")
    }

    @Test(arguments: [
        ("Azur", "azure-cli"), ("azure clu", "azure-cli"), ("Azure PowerShel", "azure-powershell"), ("wrk", "work"),
        ("azure-cil", "azure-cli"),
        ("contso", "contoso"), ("xyzzy", nil),
    ])
    func `An unknown client is answered with the one that was meant`(name: String, meant: String?) throws {
        let text = "[clients.work]\nclient_id = \"1\"\n[clients.contoso]\nclient_id = \"2\"\n"
        let settings = try SettingsReader(path: "/c/config.toml", text: text).settings()
        #expect { _ = try settings.knownClient(named: name) } throws: {
            let hint = ($0 as? Refusal)?.failure.hint?.words ?? ""
            return hint.hasPrefix(meant.map { "did you mean \"\($0)\"? known clients: " } ?? "known clients: ")
        }
    }

    @Test func `Two servers on one host are not mixed`() throws {
        let text =
            "[clients.one]\nclient_id = \"1\"\nauthority = \"https://id.example/one\"\nkind = \"oauth2\"\n"
            + "[clients.two]\nclient_id = \"2\"\nauthority = \"https://id.example/two\"\nkind = \"oauth2\"\n"
        #expect(try Self.client("https://id.example/two", text).choice.name == "two")
        #expect(Self.failure("https://id.example/three", text) != nil)
    }
}
