import Identity
import Testing

@testable import CommandSupport

/// Clients of servers without OpenID Connect.
@Suite struct OAuthSettingsTests {
    private static func client(_ text: String) throws -> ClientChoice {
        let settings = try SettingsReader(path: "config.toml", text: "[clients.one]\nclient_id = \"c1\"\n" + text)
            .settings()
        return try #require(settings.client(named: "one"))
    }

    private static func asked(_ client: ClientChoice) throws -> ScopeSet {
        client.defaults.scopes(at: try #require(client.defaults.own), clientID: client.clientID)
    }

    private static func refusal(_ text: String) -> Failure? {
        do {
            _ = try client(text)
            return nil
        } catch { return error as? Failure }
    }

    @Test func `A host says which server it is, and the setting says it for a host of one's own`() throws {
        let hub = try Self.client("authority = \"https://github.com\"\n")
        #expect(hub.behaviour.server == nil)
        #expect(try Self.asked(hub) == ["repo", "read:user"])
        let own = try Self.client("server = \"github\"\nauthority = \"https://git.example.org\"\n")
        #expect(own.kind == .oauth2 && own.authority == "https://git.example.org/login/oauth")
        #expect(own.behaviour.server == "github")
        #expect(try Self.asked(own) == ["repo", "read:user"])
        let named = try Self.client("authority = \"https://github.com\"\nscopes = [\"gist\"]\n")
        #expect(try Self.asked(named) == ["gist"])
        let plain = try Self.client("authority = \"https://id.example.org\"\nkind = \"oauth2\"\n")
        #expect(plain.kind == .oauth2)
        #expect(try Self.asked(plain) == [])
    }

    @Test func `A server without metadata is named by its endpoints`() throws {
        let endpoints = """
            kind = "oauth2"
            [clients.one.endpoints]
            authorization = "https://host.example/authorize"
            token = "https://host.example/token"

            """
        #expect(try Self.client(endpoints).authority == "https://host.example/token")
        #expect(Self.refusal("kind = \"oauth2\"\n")?.message.contains("authority") == true)
    }

    @Test(arguments: [
        ("server = \"hub\"\nauthority = \"https://git.example.org\"\n", "unknown server"),
        ("server = \"github\"\n", "authority"),
        ("account_url = \"https://id.example.org/me\"\n", "field"),
        ("account_field = \"id\"\n", "account_url"),
        ("account_name_field = \"name\"\n", "account_url"),
        ("account_url = \"http://id.example.org/me\"\naccount_field = \"id\"\n", "https"),
    ]) func `What does not fit together is refused`(text: String, word: String) {
        #expect(Self.refusal(text)?.message.contains(word) == true, "\(String(describing: Self.refusal(text)))")
    }

    @Test func `The account is where the settings say`() throws {
        let client = try Self.client(
            "authority = \"https://id.example.org\"\nkind = \"oauth2\"\naccount_url = \"https://id.example.org/me\"\n"
                + "account_field = \"user.id\"\naccount_name_field = \"user.login\"\n")
        let account = try #require(client.behaviour.account)
        #expect(account.identifier == "user.id" && account.username == "user.login")
    }
}
