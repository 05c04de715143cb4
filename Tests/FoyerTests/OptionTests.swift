import Identity
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct OptionTests {
    @Test func `The fast path reads names with a value beside or behind an equals sign, and flags`() throws {
        let options = try #require(
            CommandWords.token([
                "token", "--silent", "--client", "work", "--scope=a b", "--scope", "c", "--tenant", "t", "--json",
                "--pop=GET:https://api.example.org/", "--force-refresh",
            ]))
        #expect(options.silent && options.forceRefresh && options.json)
        #expect(options.client == "work" && options.scopes == ["a b", "c"])
        #expect(options.tenant == "t" && options.pop == "GET:https://api.example.org/")
        #expect(CommandWords.interface(["--plain", "--config", "/x"])?.plain == true)
        #expect(CommandWords.interface([])?.json == false)
    }

    @Test(arguments: [
        ["token", "ada@contoso.example"], ["token", "--client"], ["token", "--client", "--json"],
        ["token", "--clien", "x"],
        ["token", "--via", "device"], ["token", "--silent=yes"], ["token", "-h"], ["tokens"],
        ["token", "--json", "--help"],
        [],
    ])
    func `What the fast path does not know is the argument parser's`(arguments: [String]) {
        #expect(CommandWords.token(arguments) == nil)
    }

    @Test func `The interface's fast path takes no command`() {
        #expect(CommandWords.interface(["accounts"]) == nil)
        #expect(CommandWords.interface(["--silent"]) == nil)
    }

    @Test(arguments: [
        TokenOptions { ($0.client, $0.clientID) = ("a", "b") }, TokenOptions { $0.scopes = ["a \"b\""] },
        TokenOptions { $0.timeout = 0 }, TokenOptions { $0.timeout = .nan }, TokenOptions { $0.timeout = 601 },
    ])
    func `Options that exclude each other or cannot be meant are wrong usage`(options: TokenOptions) {
        #expect { try options.checked() } throws: { ($0 as? Failure)?.code == .usage }
    }

    @Test func `Options that can be meant are taken as they are`() throws {
        let options = try TokenOptions { ($0.client, $0.scopes, $0.timeout) = ("a", ["User.Read", "a b"], 0.1) }
            .checked()
        #expect(options.client == "a" && options.timeout == 0.1)
    }
}
