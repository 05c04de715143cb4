import ArgumentParser
import Foundation
import Identity
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct HelpTests {
    private static let catalogue = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/foyer/foyer.docc").standardized

    @Test(arguments: HelpTopic.allCases)
    func `A topic is the page of the catalogue, as it is in the repository now`(topic: HelpTopic) throws {
        let file = Self.catalogue.appending(path: topic.page + ".md")
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(topic.markdown == written)
    }

    @Test func `Every page of the catalogue is a topic, and the landing page names each with its topic`() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.catalogue, includingPropertiesForKeys: nil)
        let pages = Set(files.map { $0.deletingPathExtension().lastPathComponent })
        #expect(pages == Set(HelpTopic.allCases.map(\.page) + ["foyer"]))
        let landing = try String(contentsOf: Self.catalogue.appending(path: "foyer.md"), encoding: .utf8)
        for topic in HelpTopic.allCases { #expect(landing.contains("| <doc:\(topic.page)> | `\(topic.rawValue)` |")) }
    }

    @Test func `A link of a page leads to a page that exists`() {
        for topic in HelpTopic.allCases {
            for link in topic.markdown.matches(of: /<doc:([^>]*)>/) {
                #expect(HelpTopic.allCases.contains { $0.page == link.output.1 }, "\(topic): \(link.output.1)")
            }
        }
    }

    @Test(arguments: [HelpTopic.architecture, .security])
    func `A file of the sources that a page names exists`(topic: HelpTopic) throws {
        let sources = Self.catalogue.appending(path: "../..").standardized
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        let files = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        let named = topic.markdown.matches(of: /`(\w+\.swift)`/).map { String($0.output.1) }
        #expect(!named.isEmpty)
        for file in named { #expect(files.contains(file), "\(file)") }
    }

    @Test func `The newest version of the changes is the one that the program says`() {
        let versions = HelpTopic.changes.markdown.matches(of: /(?m)^## (.*)$/).map { String($0.output.1) }
        #expect(versions.first == Product.version && Set(versions).count == versions.count)
        #expect(HelpTopic(named: "changelog") == .changes)
    }

    @Test func `A topic is found by its name and by the names that other programs have for it`() {
        #expect(HelpTopic(named: "exit-statuses") == .exitStatuses)
        #expect(HelpTopic(named: "Exit-Codes") == .exitStatuses)
        #expect(HelpTopic(named: "config") == .settings)
        #expect(HelpTopic(named: "nonsense") == nil)
    }

    @Test(arguments: ["helper", "token-file", "agent", "broker"])
    func `A command that does nothing alone is wrong usage, and its help is named`(name: String) {
        let failure = Failure.commandMissing(after: [name])
        #expect(failure.code == .usage && failure.message == "foyer \(name): missing subcommand")
        #expect(failure.hint?.words == "see \"foyer \(name) --help\"")
        #expect(HelpCommand.command([name]) != nil)
    }

    /// In the sources a paragraph goes over several lines; in the help it is one.
    @Test func `No paragraph of a command's help ends inside a sentence`() {
        func check(_ command: any ParsableCommand.Type) {
            for paragraph in command.configuration.discussion.split(separator: "\n") {
                #expect(paragraph.last.map { ".:".contains($0) } ?? true, "\(command): \(paragraph)")
            }
            for next in command.configuration.subcommands { check(next) }
        }
        for command in Foyer.configuration.subcommands + Foyer.configuration.groupedSubcommands.flatMap(\.subcommands) {
            check(command)
        }
    }

    @Test func `A command is found by its name, its alias and the name of the command above it`() {
        #expect(HelpCommand.command(["login"]) == SignInCommand.self)
        #expect(HelpCommand.command(["store", "move"]) == StoreCommand.Move.self)
        #expect(HelpCommand.command(["store", "nonsense"]) == nil)
        #expect(HelpCommand.path(["store", "move", "--to"]) == ["store", "move"])
    }

    @Test func `The overview has each command and topic once, in one line of eighty columns`() {
        let lines = HelpOverview(width: 80).text.split(separator: "\n")
        for command in Foyer.configuration.subcommands {
            let names = ([command._commandName] + command.configuration.aliases).joined(separator: ", ")
            let abstract = command.configuration.abstract
            #expect(lines.count { $0.hasPrefix("  \(names) ") && $0.hasSuffix(" " + abstract) } == 1, "\(names)")
            #expect(!abstract.hasSuffix(".") && abstract.first?.isUppercase == true, "\(abstract)")
        }
        for topic in HelpTopic.allCases { #expect(lines.count { $0.hasPrefix("  \(topic.rawValue) ") } >= 1) }
        for line in lines { #expect(line.count <= 80, "\(line)") }
        #expect(lines.contains("OPTIONS") && lines.contains { $0.hasPrefix("  --plain ") })
    }

    @Test func `The overview has examples before the commands, and every exit status`() throws {
        let text = HelpOverview(width: 80).text
        let examples = try #require(text.range(of: "EXAMPLES\n")).lowerBound
        #expect(try examples < #require(text.range(of: "SIGN IN AND OUT\n")).lowerBound)
        let statuses = try #require(text.components(separatedBy: "EXIT STATUS\n").last).split(separator: "\n")
        for code in Failure.Code.allCases {
            #expect(statuses.contains { $0.hasPrefix("  \(code.exitStatus) ") }, "\(code)")
        }
    }

    @Test func `The help of a command has its own options first, and of the common ones those that it reads`() throws {
        let text = CommandHelp(command: TokensCommand.self, width: 80).text
        let own = try #require(text.range(of: "\nOPTIONS:")).lowerBound
        let common = try #require(text.range(of: "\nCOMMON OPTIONS:")).lowerBound
        #expect(own < common)
        #expect(text.contains("  --account <account>") && text.contains("  --json"))
        for name in ["scope", "authority", "timeout", "verbose"] { #expect(!text.contains("  --\(name)"), "\(name)") }
        #expect(text.components(separatedBy: "COMMON OPTIONS").count == 2)
        #expect(CommandHelp(command: SignInCommand.self, width: 80).text.contains("  --scope"))
        let remove = CommandHelp(command: RemoveCommand.self, width: 80).text
        #expect(remove.contains("  --store") && !remove.contains("  --timeout"))
        #expect(!CommandHelp(command: SignOutCommand.self, width: 80).text.contains("  --scope"))
        #expect(!CommandHelp(command: DoctorCommand.self, width: 80).text.contains("  --scope"))
    }

    @Test func `Every example is accepted, belongs to its command and stands in its help`() throws {
        for (name, examples) in CommandExamples.all {
            #expect(examples.count == 3)
            let command = try #require(HelpCommand.commands([name]).last)
            let help = CommandHelp(command: command, width: 80).text
            for (line, purpose) in examples {
                #expect(line.hasPrefix("foyer \(name)") && help.contains(line) && help.contains(purpose), "\(line)")
                let words = line.split(separator: "\"").enumerated().flatMap { number, part in
                    number.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
                }
                #expect(throws: Never.self, "\(line)") { try Foyer.parseAsRoot(Array(words.dropFirst())) }
            }
        }
    }

    @Test func `A command of the same name below another has no examples of the first`() throws {
        let below = try #require(HelpCommand.commands(["token-file", "remove"]).last)
        #expect(below._commandName == "remove")
        #expect(!CommandHelp(command: below, width: 80).text.contains("EXAMPLES"))
    }

    @Test func `No line of a command's help is longer than the terminal`() {
        func check(_ command: any ParsableCommand.Type) {
            let lines = CommandHelp(command: command, width: 80).text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(command._commandName)")
            command.configuration.subcommands.forEach(check)
        }
        check(Foyer.self)
    }

    @Test func `An option that the help of a command leaves out is accepted all the same`() throws {
        _ = try Foyer.parseAsRoot(["tokens", "--scope", "User.Read", "--timeout", "5"])
        let all = Foyer.helpMessage(for: TokensCommand.self, columns: 80)
        for name in CommandHelp.unread(TokensCommand.self) { #expect(all.contains("  --\(name)"), "\(name)") }
    }

    @Test func `Unknown help is wrong usage, with the topics and the word that was meant`() {
        let failure = HelpCommand.unknown("setings")
        #expect(failure.code.exitStatus == 64)
        #expect(failure.message == "no help for \"setings\"")
        #expect(failure.hint?.words.hasPrefix("did you mean \"settings\"? topics are keys, settings, stores, ") == true)
        #expect(HelpCommand.unknown("xyzzy").hint?.words.contains("did you mean") == false)
    }

    @Test func `A mistyped command is told from wrong options of a command`() {
        #expect(Foyer.usage(["tokne"], "Unexpected argument").message == "no such command: \"tokne\"")
        #expect(Foyer.usage(["tokne"], "").hint?.words == "did you mean \"token\"? \"foyer help\" lists the commands")
        #expect(
            Foyer.usage(["store", "move", "--too"], "Unknown option").hint?.words == "see \"foyer store move --help\"")
        let move = Foyer.usage(["store", "mvoe"], "Unexpected argument 'mvoe'")
        #expect(move.message == "no such command: \"store mvoe\"")
        #expect(move.hint?.words == "did you mean \"store move\"? \"foyer store --help\" lists the commands")
        #expect(Foyer.usage(["--too"], "Unknown option").hint?.words == "see \"foyer --help\"")
    }

    @Test(arguments: [
        ("tokne", "token"), ("sigin-in", "sign-in"), ("stroe", "store"), ("stor", nil), ("t", nil), ("", nil),
        ("accoutns", "accounts"), ("sig", "sign-in"), ("acconut", "accounts"), ("SIGN-IN", "sign-in"), ("sto", nil),
        ("to", nil), ("foo", nil),
    ])
    func `The closest word is found, and none where two are as close`(word: String, closest: String?) {
        #expect(
            Spelling.closest(to: word, among: ["token", "tokens", "sign-in", "store", "stork", "accounts"]) == closest)
    }

    @Test func `Long text goes through the person's pager, or less where it is, and never on a dumb terminal`() {
        func command(_ variables: [String: String], hasLess: Bool = true) -> Pager.Command? {
            Pager.command(value: { variables[$0] }, hasLess: hasLess)
        }
        let both = ["LESS": "FRX", "LV": "-c"]
        #expect(command(["TERM": "xterm"]) == Pager.Command(line: "less", variables: both))
        #expect(
            command(["TERM": "xterm", "PAGER": "most -s"], hasLess: false)
                == Pager.Command(line: "most -s", variables: both))
        #expect(command(["TERM": "xterm", "LESS": "-S"])?.variables == ["LV": "-c"])
        #expect(command(["TERM": "xterm"], hasLess: false) == nil)
        for pager in ["cat", "", " "] { #expect(command(["TERM": "xterm", "PAGER": pager]) == nil) }
        #expect(command(["TERM": "dumb"]) == nil && command([:]) == nil)
    }

    @Test(arguments: [
        ("de_DE.UTF-8", true), ("C.utf8", true), ("C.UTF-8", true), ("ca_ES.UTF-8@valencia", true), ("C", false),
        ("POSIX", false),
        ("de_DE@euro", false), (nil, false),
    ])
    func `UTF-8 is told from the name of a locale`(name: String?, isUTF8: Bool) {
        #expect(ResultScreen.isUTF8(name) == isUTF8)
    }
}
