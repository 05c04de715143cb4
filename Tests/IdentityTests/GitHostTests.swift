import Identity
import Testing

/// Hosts of repositories that a known server's token may go to.
@Suite struct GitHostTests {
    private static func serves(_ server: String, _ host: String, _ authority: String) throws -> Bool {
        try #require(KnownServer.named(server)).servesGit(at: host, authority: try WebAddress(authority))
    }

    @Test(arguments: [
        ("github", "github.com", "https://github.com/login/oauth"),
        ("github", "gist.github.com", "https://github.com/login/oauth"),
        ("github", "corp.ghe.com", "https://corp.ghe.com/login/oauth"),
        ("github", "git.example.org:8443", "https://git.example.org:8443/login/oauth"),
        ("google", "source.developers.google.com", "https://accounts.google.com"),
        ("google", "go.googlesource.com", "https://accounts.google.com"),
    ]) func `A server's own host, and its vendor's other ones`(server: String, host: String, authority: String) throws {
        #expect(try Self.serves(server, host, authority))
    }

    @Test(arguments: [
        ("github", "gist.github.com", "https://corp.ghe.com/login/oauth"),
        ("github", "gist.github.com", "https://git.example.org/login/oauth"),
        ("github", "github.com", "https://git.example.org/login/oauth"),
        ("github", "github.com:8443", "https://github.com/login/oauth"),
        ("google", "go.googlesource.com", "https://id.example.org"),
        ("google", "googlesource.com", "https://accounts.google.com"),
        ("google", "go.googlesource.com.evil.example", "https://accounts.google.com"),
        ("google", "go.googlesource.com:8443", "https://accounts.google.com"),
        ("google", "evilgooglesource.com", "https://accounts.google.com"),
        ("gitlab", "github.com", "https://gitlab.com"),
    ]) func `No other host`(server: String, host: String, authority: String) throws {
        #expect(try !Self.serves(server, host, authority))
    }

    @Test func `Every server says how a client is registered, and with which redirect URI it signs in`() throws {
        for server in KnownServer.all {
            let redirect = try WebAddress(server.redirectURI)
            #expect(redirect.isLoopback && !redirect.isSecure, "\(server.name)")
            let words = server.howToRegister(at: try WebAddress("https://git.example.org"))
            #expect(words.hasPrefix("at https://") || words.hasPrefix("in the administration of "), "\(words)")
            #expect(words.contains(server.redirectURI) != (server.secret == .published), "\(words)")
        }
    }

    @Test func `A client is named after its host, with a number if the name is taken`() throws {
        let place = try WebAddress("https://github.com/login/oauth")
        #expect(Client.name("c1", at: place, notIn: []) == "github.com")
        #expect(Client.name("c1", at: place, notIn: ["github.com"]) == "github.com-2")
    }
}
