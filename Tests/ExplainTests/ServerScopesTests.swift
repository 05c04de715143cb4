import Identity
import Testing

@testable import Explain

/// The scopes of known servers that are not Microsoft's.
@Suite struct ServerScopesTests {
    private static func issuer(_ name: String) throws -> ScopeIssuer { .server(try #require(KnownServer.named(name))) }

    @Test(arguments: ["github", "gitlab", "gitea", "google"])
    func `Each scope is explained once, in one clean sentence`(_ name: String) throws {
        let all = ScopeMeaning.all(of: try #require(KnownServer.named(name)))
        #expect(Set(all.map(\.fullName)).count == all.count && all.count >= 14)
        for meaning in all {
            #expect(meaning.sentence.first?.isLowercase == true && !meaning.sentence.hasSuffix("."), "\(meaning.name)")
            #expect(meaning.sentence.count <= 110, "\(meaning.name)")
            #expect(ScopeSet.isScope(meaning.fullName), "\(meaning.name)")
        }
    }

    @Test func `What is granted with another scope is explained, too, and named with it`() throws {
        let github = try #require(KnownServer.named("github"))
        let names = Set(ScopeMeaning.all(of: github).map(\.fullName))
        for implication in github.implied {
            #expect(names.contains(implication.scope), "\(implication.scope)")
            #expect(names.isSuperset(of: implication.with), "\(implication.scope)")
        }
        let org = try #require(ScopeMeaning.of("admin:org", at: .server(github)))
        #expect(org.risk == .critical && org.includes == ["write:org", "read:org"])
        #expect(ScopeMeaning.of("read:org", at: .server(github))?.includes == [])
        // A part is never riskier than the whole.
        for meaning in ScopeMeaning.all(of: github) {
            let parts = ScopeMeaning.of(meaning.fullName, at: .server(github))?.includes ?? []
            for part in parts {
                let risk = try #require(ScopeMeaning.of(part, at: .server(github))).risk
                #expect(risk <= meaning.risk, "\(part) of \(meaning.name)")
            }
        }
    }

    @Test func `A scope means only what its own server means by it`() throws {
        let (github, gitlab, google) = (try Self.issuer("github"), try Self.issuer("gitlab"), try Self.issuer("google"))
        #expect(ScopeMeaning.of("repo", at: github)?.risk == .high)
        for other in [gitlab, google, .microsoft, .other] { #expect(ScopeMeaning.of("repo", at: other) == nil) }
        #expect(ScopeMeaning.of("api", at: gitlab)?.risk == .critical && ScopeMeaning.of("api", at: github) == nil)
        let drive = "https://www.googleapis.com/auth/drive"
        #expect(ScopeMeaning.of(drive, at: google)?.risk == .high)
        #expect(ScopeMeaning.of(drive, at: .microsoft) == nil && ScopeMeaning.of(drive, at: .other) == nil)
        #expect(ScopeMeaning.of("https://mail.google.com/", at: google)?.sentence.contains("all your mail") == true)
        // Graph's names are not a git host's, OpenID Connect's are everyone's.
        #expect(ScopeMeaning.of("Mail.Send", at: gitlab) == nil && ScopeMeaning.of("Mail.Send", at: .other) == nil)
        #expect(ScopeMeaning.of("openid", at: gitlab) == ScopeMeaning.of("openid"))
        #expect(ScopeMeaning.of("Mail.Send", at: .microsoft)?.risk == .high)
    }

    @Test func `An account's server is known by its issuer, or by the settings`() throws {
        func issuer(_ issuer: String?, _ host: String, set: String? = nil) -> ScopeIssuer {
            let account = Account(homeAccountID: "7", environment: host, username: "", issuer: issuer)
            let clients: [KnownServer.Configured] = [("https://git.example.org", .oauth2, set)]
            return ScopeIssuer(account, server: KnownServer.of(account, clients: clients))
        }
        #expect(issuer("https://github.com/login/oauth", "github.com") == (try Self.issuer("github")))
        #expect(issuer("https://git.example.org", "git.example.org") == .other)
        #expect(issuer("https://git.example.org", "git.example.org", set: "gitea") == (try Self.issuer("gitea")))
        // Another issuer of the same host is not the one in the settings.
        #expect(issuer("https://git.example.org/b", "git.example.org", set: "gitea") == .other)
        #expect(issuer(nil, "login.microsoftonline.com") == .microsoft)
        #expect(issuer(nil, "accounts.google.com") == (try Self.issuer("google")))
        #expect(issuer("https://github.com.evil.example", "github.com.evil.example") == .other)
    }

    @Test(arguments: [
        ("gho_16C7e42F292c6912E7710c838347Ae178B4a", "GitHub token of an OAuth app"), ("ghr_x", "GitHub refresh token"),
        ("github_pat_11A", "fine-grained"), ("ya29.a0AfB", "Google access token"), ("1//0gab", "Google refresh token"),
        ("xoxe.xoxp-1-Mi0y", "Slack token for a user, with rotation"), ("xoxe-1-My0x", "Slack refresh token"),
        ("glpat-abc", "GitLab personal"),
    ])
    func `A token is described by its prefix`(token: String, words: String) {
        #expect(TokenPrefix.words(of: Secret(token))?.contains(words) == true)
    }

    @Test func `Nothing is said of other tokens, and a longer prefix comes before a shorter one`() {
        for token in ["", "gho", "opaque", "eyJhbGciOiJub25lIn0.e30.", "Gho_x"] {
            #expect(TokenPrefix.words(of: Secret(token)) == nil)
        }
        for (index, entry) in TokenPrefix.known.enumerated() {
            for earlier in TokenPrefix.known[..<index] { #expect(!entry.prefix.hasPrefix(earlier.prefix)) }
        }
    }
}
