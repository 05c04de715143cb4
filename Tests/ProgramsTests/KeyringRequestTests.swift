import Identity
import Testing

@testable import Helpers
@testable import Programs

@Suite struct KeyringRequestTests {
    private static func request(_ line: String) -> KeyringRequest? {
        KeyringRequest(line.split(separator: " ").map(String.init))
    }

    @Test func `Each form of pip's question is understood`() throws {
        let old = try #require(Self.request("get https://index.example/simple/ me"))
        #expect(old.host == "index.example" && old.path == "simple/" && old.username == "me" && old.form == .password)
        let new = try #require(Self.request("--mode=creds --output=json get https://me@index.example:8443/simple/"))
        #expect(new.host == "index.example:8443" && new.username == "me" && new.form == .json)
        #expect(try #require(Self.request("--mode creds get https://index.example/")).form == .plain)
    }

    @Test(arguments: [
        "https://pkgs.dev.azure.com/contoso/_packaging/f/pypi/simple/",
        "https://pkgs.dev.azure.com/contoso/project/_packaging/f/pypi/simple/",
        "https://contoso.pkgs.visualstudio.com/_packaging/f/pypi/simple/",
    ])
    func `An index of Azure Artifacts belongs to an organization`(url: String) throws {
        let devOps = try #require(Self.request("get \(url)")?.devOps)
        #expect(devOps.organization == "contoso" && devOps.address?.host == "dev.azure.com")
    }

    @Test(arguments: [
        "https://pkgs.dev.azure.com.evil.example/contoso/", "https://evil.example/pkgs.dev.azure.com/contoso/",
        "https://a.b.pkgs.visualstudio.com/", "https://pkgs.visualstudio.com/",
    ])
    func `No other host is one of Azure Artifacts`(url: String) throws {
        #expect(try #require(Self.request("get \(url)")).devOps == nil)
    }

    @Test(arguments: [
        "https://evil.example?@index.example/simple/", "https://me@evil.example?@index.example/simple/",
        "https://evil.example/?@index.example/simple/", "https://evil.example/@index.example/simple/",
    ])
    func `A name before the host ends where the host does`(url: String) throws {
        #expect(try #require(Self.request("get \(url) me")).host == "evil.example")
    }

    @Test(arguments: [
        "https://evil.example#@index.example/simple/", "https://evil.example\\@index.example/simple/",
        "https://evil.example@me@index.example/simple/", "https://evil.example%5C\t@index.example/simple/",
        "https://@evil.example@index.example/simple/", "https://é@index.example/simple/",
    ])
    func `What two readers would take for two hosts is none`(url: String) {
        #expect(KeyringRequest(["get", url, "me"]) == nil)
    }

    @Test func `A path that leads up again names no organization`() throws {
        let request = try #require(Self.request("get https://pkgs.dev.azure.com/../contoso/"))
        #expect(request.devOps?.organization == nil)
    }

    @Test(arguments: [
        "", "get", "set https://a.example/ me", "get service me", "--keyring-backend x get https://a.example/",
        "--mode=creds --output=yaml get https://a.example/", "--output=json get https://a.example/",
        "get http://a.example/ me", "get ftp://a.example/ me", "--list-backends", "get https://a.example/ a b",
        "--mode",
    ])
    func `What is not understood is left to the next keyring`(line: String) {
        #expect(Self.request(line) == nil)
    }
}
