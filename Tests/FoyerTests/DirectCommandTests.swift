import ArgumentParser
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct DirectCommandTests {
    private static let common = [
        "--client", "work", "--scope=a", "--scope", "b", "--json", "--timeout", "2.5", "--store=x",
    ]

    /// What each command read, as the argument parser and the direct way must agree on it.
    private static func members(_ command: any ParsableCommand) -> [String] {
        func text(_ members: Any?...) -> [String] { members.map { "\($0 ?? "nil")" } }
        return switch command {
        case let it as AccountsCommand:
            text(it.shared.options, it.needsSignIn, it.limit, it.allStores.isOn, it.wide.isOn)
        case let it as TokensCommand: text(it.shared.options, it.allStores.isOn, it.wide.isOn, it.reveal)
        case let it as WhyCommand: text(it.shared.options, it.recent, it.wide.isOn, it.program, it.target)
        case let it as RunCommand: text(it.shared.adding(it.tenancy), it.azd, it.awsRole, it.explain, it.command)
        case let it as IDTokenCommand: text(it.shared.adding(it.tenancy), it.forceRefresh)
        case let it as AgentCommand.Status: text(it.shared.options)
        case let it as GitHelper: text(it.shared.adding(it.tenancy), it.verb)
        case let it as DockerHelper: text(it.shared.options, it.verb)
        case let it as KubectlHelper: text(it.shared.adding(it.tenancy), it.isIDToken)
        case let it as GoogleHelper: text(it.shared.adding(it.tenancy))
        default: ["\(type(of: command))"]
        }
    }

    @Test(arguments: [
        ["accounts"], ["accounts", "--needs-sign-in", "--limit", "3", "--all-stores", "--wide"],
        ["accounts", "--limit=3", "--limit=4"], ["tokens"], ["tokens", "--reveal", "--wide", "--all-stores"],
        ["why", "git", "https://dev.azure.com/contoso"], ["why", "--recent", "--wide"], ["why", "git", "--json"],
        ["run", "--", "terraform", "--plan", "--"], ["run", "--azd", "--aws-role", "arn", "--tenant=t", "--", "x"],
        ["run", "--"], ["run", "--explain", "--"], ["run", "--explain", "--azd", "--", "x"], ["id-token"],
        ["id-token", "--force-refresh", "--tenant", "t"], ["agent", "status"],
        ["helper", "git", "get"], ["helper", "git", "--tenant", "t", "get"], ["helper", "docker", "list"],
        ["helper", "kubectl"], ["helper", "kubectl", "--id-token", "--tenant", "t"], ["helper", "google"],
    ])
    func `Commands in loops are read as the argument parser reads them`(words: [String]) throws {
        let terminator = words.firstIndex(of: "--") ?? words.endIndex
        for arguments in [words, words[..<terminator] + Self.common + words[terminator...]] {
            let direct = try #require(DirectCommands.command(Array(arguments), isLink: false))
            #expect(try Self.members(direct) == Self.members(Foyer.parseAsRoot(Array(arguments))))
        }
    }

    @Test(arguments: [
        ["accounts", "--help"], ["accounts", "--limit", "0"], ["accounts", "--limit", "many"], ["accounts", "--limit"],
        ["accounts", "ada"], ["accounts", "--reveal"], ["accounts", "--wide=yes"], ["accounts", "--client", "--json"],
        ["accounts", "--timeout", "soon"], ["tokens", "--"], ["why", "git", "host", "more"], ["why", "-h"],
        ["run", "terraform"], ["run", "terraform", "--", "plan"], ["id-token", "--silent"], ["agent"],
        ["agent", "status", "now"], ["helper"], ["helper", "git"], ["helper", "git", "get", "erase"],
        ["helper", "kubectl", "--force-refresh"], ["helper", "az", "--help"], ["help", "accounts"], [],
    ])
    func `What is not accepted is left to the argument parser`(words: [String]) {
        #expect(DirectCommands.command(words, isLink: false) == nil)
    }

    @Test func `Every option of these commands is read without the argument parser`() {
        for (path, command) in DirectCommands.all {
            let options = CommandHelp(command: command, width: 80).text.split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("  --") }.map { String($0.split { " ,=<".contains($0) }[0]) }
            #expect(options.count > 2, "\(path)")
            for option in options where !["--help", "--version"].contains(option) {
                let isRead = [[option], [option, "1"]].contains { words in
                    [[], ["get"], ["--"]].contains { CommandWords((words + $0)[...], command.accepted) != nil }
                }
                #expect(isRead, "\(path) \(option)")
            }
        }
    }

    @Test func `A program's helper takes every word, and foyer's help only under foyer's name`() throws {
        let words = ["account", "get-access-token", "--help", "--json"]
        let helper = try #require(DirectCommands.command(["helper", "az"] + words, isLink: false) as? AzHelper)
        #expect(helper.words == words)
        #expect((DirectCommands.command(["helper", "az", "-h"], isLink: true) as? AzHelper)?.words == ["-h"])
    }
}
