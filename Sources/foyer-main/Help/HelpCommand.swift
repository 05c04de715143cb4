import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Terminal

struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Show help on a command or a topic",
        discussion: "Without a name, lists both. Long text is shown in $PAGER or less at a terminal.")
    @Argument(
        help: ArgumentHelp("Command, subcommand or topic", valueName: "name"),
        completion: .known(.helpNames))
    var names: [String] = []
    // The program's own options of the same name take these words first, so this must be the same value.
    @OptionGroup(visibility: .hidden) var shared: SharedOptions

    func run() throws {
        let screen = HelpScreen(wantsBold: !shared.noColor)
        guard let name = names.first else { return screen.showOverview() }
        let command = Self.command(names)
        let topic = names.count == 1 ? HelpTopic(named: name) : nil
        switch (command, topic) {
        case (let command?, nil): screen.show(command)
        case (nil, let topic?): screen.show(topic)
        // The name is a topic and a command: the page first, then the command's help.
        case (let command?, let topic?):
            screen.show(topic, then: CommandHelp(command: command, width: screen.width).text)
        case (nil, nil): throw Self.unknown(names.joined(separator: " "))
        }
    }

    static func command(_ names: [String]) -> (any ParsableCommand.Type)? {
        path(names).count == names.count ? commands(names).last : nil
    }

    /// The leading words that name a command and its subcommands.
    static func path(_ words: [String]) -> [String] { Array(words.prefix(commands(words).count)) }

    /// The commands that the leading words name, outermost first.
    static func commands(_ words: [String]) -> [any ParsableCommand.Type] {
        var found: [any ParsableCommand.Type] = []
        for word in words {
            let next = (found.last ?? Foyer.self).configuration.subcommands.first {
                $0._commandName == word || $0.configuration.aliases.contains(word)
            }
            guard let next else { break }
            found.append(next)
        }
        return found
    }

    static func unknown(_ name: String) -> Failure {
        let topics = HelpTopic.allCases.map(\.rawValue)
        return Failure(
            .usage, "no help for \"\(name)\"",
            hint: .text(
                Spelling.suggestion(for: name, among: topics + names(of: Foyer.self))
                    + "topics are \(topics.joined(separator: ", ")); \"foyer help\" lists the commands"))
    }

    /// - Parameter words: the path of the command without such a subcommand; empty for the program itself.
    static func noSuchCommand(_ name: String, of words: [String]) -> Failure {
        let meant = Spelling.suggestion(for: name, among: names(of: commands(words).last ?? Foyer.self)) {
            (words + [$0]).joined(separator: " ")
        }
        let list = words.isEmpty ? "foyer help" : (["foyer"] + words + ["--help"]).joined(separator: " ")
        return Failure(
            .usage, "no such command: \"\((words + [name]).joined(separator: " "))\"",
            hint: .text(meant + "\"\(list)\" lists the commands"))
    }

    /// Completions of `foyer help` after these words: subcommands, and for the first word also topics.
    static func names(after words: [String]) -> [String] {
        guard !words.isEmpty else { return names(of: Foyer.self) + HelpTopic.allCases.map(\.rawValue) }
        return command(words).map(names(of:)) ?? []
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases }
    }
}

/// Standard output for help: its size and characters, and whether to use a pager.
struct HelpScreen {
    /// Longer lines are hard to read.
    private static let widest = 100
    let width: Int
    private let rows: Int
    private let isTerminal: Bool
    private let isASCII: Bool
    private let isBold: Bool
    private let environment: ProcessEnvironment

    init(wantsBold: Bool, environment: ProcessEnvironment = ProcessEnvironment()) {
        let screen = ResultScreen(
            STDOUT_FILENO, wantsColor: wantsBold, theme: { .monochrome }, environment: environment)
        isTerminal = screen.columns != nil
        width = min(screen.columns ?? 80, Self.widest)
        rows = screen.rows
        isASCII = screen.glyphs.isASCII
        isBold = screen.colors.isOn
        self.environment = environment
    }

    func showOverview() { show(HelpOverview(width: width).text) }

    func show(_ command: any ParsableCommand.Type) { show(CommandHelp(command: command, width: width).text) }

    func show(_ topic: HelpTopic, then command: String? = nil) {
        let layout = HelpPageLayout(width: width, isASCII: isASCII)
        var lines = layout.lines(MarkdownBlock.parse(topic.markdown)).map { line in
            line.isHeading && isBold ? "\u{1B}[1m\(line.text)\u{1B}[0m" : line.text
        }
        if let command {
            lines += ["", ""] + command.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        show(lines.joined(separator: "\n"))
    }

    func show(_ text: String) {
        let text = text.hasSuffix("\n") ? text : text + "\n"
        let count = text.count { $0 == "\n" }
        if isTerminal, count >= rows {
            let command = Pager.command(value: { environment[$0] }, hasLess: environment.program("less") != nil)
            if let command, Pager.show(text, with: command) { return }
        }
        Output(json: false, verbose: false, noColor: true).text(text)
    }
}
