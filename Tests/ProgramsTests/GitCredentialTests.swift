import Foundation
import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import Helpers
@testable import Programs

@Suite struct GitCredentialTests {
    private static let token = IssuedToken([
        "accessToken": "TOKEN", "clientId": "c", "expiresOn": "2026-11-22T04:25:38Z", "tenantId": "t",
        "account": ["username": "ada@contoso.example"],
    ])!
    private static let expiry = "password_expiry_utc=1795321538"

    private static func read(_ lines: String...) throws -> GitCredential {
        try GitCredential(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    @Test func `A request is read to its end, and what is new in it is passed over`() throws {
        let credential = try Self.read(
            "capability[]=authtype", "capability[]=state", "protocol=https", "host=dev.azure.com", "path=contoso/x=y",
            "wwwauth[]=Basic realm=\"x\"", "wwwauth[]=Bearer authorization_uri=\"https://x\"", "novelty=1", "",
            "host=after.example")
        #expect(credential.host == "dev.azure.com" && credential.path == "contoso/x=y" && credential.scheme == "https")
        #expect(credential.wwwAuthenticate.count == 2 && credential.capabilities == ["authtype", "state"])
    }

    @Test func `What git would not send is refused`() {
        for bytes in [
            Array("host\n".utf8), [0x61, 0x3D, 0, 0x0A], [0x61, 0x3D, 0xFF, 0x0A],
            Array(repeating: UInt8(ascii: "a"), count: 65_536),
        ] {
            #expect(throws: Failure.self) { try GitCredential(bytes) }
        }
    }

    @Test(arguments: [("https", true), ("http", false), ("ftp", false), ("smtp", false)])
    func `A token goes over https only, and over http on this machine`(scheme: String, isServed: Bool) throws {
        let there = try Self.read("protocol=\(scheme)", "host=git.example.org")
        #expect((there.address() != nil) == isServed)
        let here = try Self.read("protocol=http", "host=127.0.0.1:8080")
        #expect(here.address()?.hostAndPort == "127.0.0.1:8080")
    }

    @Test(arguments: ["/.evil.com", "?.evil.com", "#.evil.com", "\\.evil.com", "@evil.com", " .evil.com", "\t", "%2f"])
    func `A host with anything behind it is refused, and not taken for that host`(rest: String) throws {
        #expect(throws: Failure.self) { try Self.read("protocol=https", "host=git.example.com\(rest)") }
        #expect(throws: Failure.self) { try Self.read("protocol=https", "host=evil.example\(rest)git.example.com") }
        for host in ["git.example.com", "git.example.com:8443", "[::1]:8080"] {
            #expect(try Self.read("protocol=https", "host=\(host)").address()?.hostAndPort == host)
        }
    }

    @Test func `A git of before 2.46 gets a user and a password, with the name that it asked for`() throws {
        let plain = try Self.read("protocol=https", "host=dev.azure.com")
        let answer = GitAnswer(Self.token, to: plain, takesBearer: true)
        #expect(answer.lines == ["username=oauth2", "password=TOKEN", Self.expiry])
        let named = try Self.read("protocol=https", "host=dev.azure.com", "username=contoso")
        #expect(GitAnswer(Self.token, to: named, takesBearer: true).lines.first == "username=contoso")
    }

    @Test func `A newer one gets a bearer token, and a second chance after a 401`() throws {
        let first = try Self.read("capability[]=authtype", "capability[]=state", "protocol=https", "host=dev.azure.com")
        #expect(
            GitAnswer(Self.token, to: first, takesBearer: true).lines == [
                "capability[]=authtype", "capability[]=state", "authtype=Bearer", "credential=TOKEN", "ephemeral=1",
                Self.expiry, "continue=1", "state[]=foyer:1",
            ])
        let second = try Self.read(
            "capability[]=authtype", "capability[]=state", "protocol=https", "host=dev.azure.com", "state[]=foyer:1")
        #expect(second.isSecondChance)
        #expect(
            GitAnswer(Self.token, to: second, takesBearer: true).lines == [
                "capability[]=authtype", "authtype=Bearer", "credential=TOKEN", "ephemeral=1", Self.expiry,
            ])
    }

    @Test func `A service that does not ask for a bearer token gets a password from a newer git, too`() throws {
        let request = ["capability[]=authtype", "protocol=https", "host=gitlab.example.org"]
        let basic = try Self.read(request[0], request[1], request[2], "wwwauth[]=Basic realm=\"GitLab\"")
        #expect(GitAnswer(Self.token, to: basic, takesBearer: false).lines.contains("password=TOKEN"))
        let bearer = try Self.read(request[0], request[1], request[2], "wwwauth[]=Bearer realm=\"Forgejo\"")
        #expect(GitAnswer(Self.token, to: bearer, takesBearer: false).lines.contains("authtype=Bearer"))
    }

    // MARK: Known servers

    @Test func `Each server gets the user that it wants, and git's own name stays where any is accepted`() throws {
        let plain = try Self.read("protocol=https", "host=git.example.org")
        let named = try Self.read("protocol=https", "host=git.example.org", "username=ada@contoso.example")
        for (server, user, isKept) in [
            ("github", "x-access-token", true), ("gitlab", "oauth2", true), ("gitea", "oauth2", true),
            ("bitbucket", "x-token-auth", false), ("google", "oauth2accesstoken", false),
        ] {
            let form = try #require(KnownServer.named(server)?.git)
            func line(_ credential: GitCredential) -> String? {
                GitAnswer(Self.token, to: credential, takesBearer: false, form).lines.first
            }
            #expect(line(plain) == "username=\(user)", "\(server)")
            #expect(line(named) == "username=\(isKept ? "ada@contoso.example" : user)", "\(server)")
        }
    }

    @Test func `Git is not told an end that the server did not announce`() throws {
        let token = try #require(
            IssuedToken([
                "accessToken": "gho_TOKEN", "clientId": "c", "tenantId": "",
                "expiresOn": .string(Date.noAnnouncedEnd.rfc3339),
            ]))
        for request in [
            ["protocol=https", "host=github.com"], ["capability[]=authtype", "protocol=https", "host=h.example"],
        ] {
            let credential = try GitCredential(Array(request.map { $0 + "\n" }.joined().utf8))
            let lines = GitAnswer(token, to: credential, takesBearer: true).lines
            #expect(
                !lines.contains { $0.hasPrefix("password_expiry_utc") } && lines.contains { $0.hasSuffix("gho_TOKEN") })
        }
    }

    @Test(arguments: [
        ("git@github.com:owner/x.git", true), ("ssh://git@github.com/owner/x.git", true), ("github.com:owner/x", true),
        ("git+ssh://git@github.com/x", true), ("https://github.com:443/owner/x", false),
        ("https://github.com/a:b", false),
        ("/srv/a:b", false), ("./a:b", false), (":x", false), ("", false),
    ]) func `A remote over SSH never reaches a helper`(remote: String, isSSH: Bool) {
        #expect(GitCredential.isSSH(remote) == isSSH)
        if isSSH {
            #expect { try GitCredential(url: remote) } throws: {
                ($0 as? Failure)?.message.contains("SSH") ?? false
            }
        }
    }

    @Test func `URLs that git rewrites to SSH are found in its configuration`() {
        let output =
            "url.git@github.com:.insteadof\nhttps://github.com/\0"
            + "url.https://mirror.example/.insteadof\nhttps://gitlab.com/\0url.ssh://git@h.example/.insteadof\nh:\0"
        let found = GitRemotes.sshRewrites(in: output)
        #expect(found.map(\.url) == ["https://github.com/"] && found.first?.base == "git@github.com:")
        #expect(found.first?.words == "url.git@github.com:.insteadOf = https://github.com/")
    }

    @Test func `A rejected token stays rejected, also one without an end`() throws {
        let home = FileManager.default.temporaryDirectory.path + "/rejected-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let list = RejectedTokens(ProcessEnvironment(workingFolder: home) { $0 == "HOME" ? home : nil })
        let now = Date()
        list.note(Secret("gho_x"), at: now)
        #expect(list.contains(Secret("gho_x"), at: now.addingTimeInterval(90 * 86_400)))
        #expect(!list.contains(Secret("gho_y"), at: now))
    }

    // MARK: Azure DevOps

    @Test(arguments: [
        ("https://dev.azure.com/contoso/x/_git/y", "contoso"), ("https://contoso@dev.azure.com/", "contoso"),
        ("https://Contoso.visualstudio.com/x", "contoso"), ("https://dev.azure.com/", nil),
        ("https://dev.azure.com/contoso/../fabrikam", nil), ("https://dev.azure.com/%2e%2e/x", nil),
    ])
    func `An organization is in the path, before the host, or its first label`(url: String, organization: String?)
        throws
    {
        let credential = try GitCredential(url: url)
        let query = credential.query(TokenOptions(), ProcessEnvironment(workingFolder: "/") { _ in nil })
        #expect(query.request?.organization == organization && query.place.mustBeNamed == nil)
        #expect(query.place.scopes == ["499b84ac-1321-427f-aa17-267ca6975798/.default"])
    }

    @Test(arguments: ["dev.azure.com.evil.example", "visualstudio.com", "a.b.visualstudio.com", "evilvisualstudio.com"])
    func `Another host is none of Azure DevOps'`(host: String) {
        #expect(AzureDevOps(host: host, path: "contoso", username: nil) == nil)
    }

    @Test func `The tenant is what a challenge names at a known cloud, or the resource's`() {
        let tenant = "c0000000-0000-4000-8000-00000000c001"
        func challenge(_ host: String, _ tenant: String) -> String {
            "Bearer authorization_uri=\"https://\(host)/\(tenant)\""
        }
        #expect(AzureDevOps.tenant(of: ["Basic realm=\"x\"", challenge("login.windows.net", tenant)]) == tenant)
        #expect(AzureDevOps.tenant(of: [challenge("evil.example", tenant)]) == nil)
        #expect(AzureDevOps.tenant(of: [challenge("login.windows.net", "common")]) == nil)
        let nobody = "00000000-0000-0000-0000-000000000000"
        #expect(AzureDevOps.tenant(ofResource: nobody) == nil)
        #expect(AzureDevOps.tenant(ofResource: "\(nobody), \(tenant)") == tenant)
    }
}
