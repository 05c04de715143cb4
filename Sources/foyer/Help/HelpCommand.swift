import ArgumentParser
import Glibc
import Identity

struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Show help on a command or a topic",
        discussion: "Without a name it lists both. Long text goes through $PAGER or less at a terminal.")
    @Argument(help: ArgumentHelp("A command, a command of a command, or a topic", valueName: "name"))
    var names: [String] = []
    // The program's own options of the same name take the words first: here they must be the same value.
    @OptionGroup(visibility: .hidden) var shared: SharedOptions

    func run() throws {
        let screen = HelpScreen(wantsBold: !shared.noColor)
        guard let name = names.first else { return screen.show(HelpOverview(width: screen.width).text) }
        let command = Self.command(names)
        let topic = names.count == 1 ? HelpTopic(named: name) : nil
        switch (command, topic) {
        case (let command?, nil): screen.show(Foyer.helpMessage(for: command, columns: screen.width))
        case (nil, let topic?): screen.show(topic)
        // One name for both: the topic's page first, then the command's help.
        case (let command?, let topic?):
            screen.show(topic, then: Foyer.helpMessage(for: command, columns: screen.width))
        case (nil, nil): throw Self.unknown(names.joined(separator: " "))
        }
    }

    /// The command of these names, or nil.
    static func command(_ names: [String]) -> (any ParsableCommand.Type)? {
        path(names).count == names.count ? commands(names).last : nil
    }

    /// As many of the words as name a command, and a command of that command.
    static func path(_ words: [String]) -> [String] { Array(words.prefix(commands(words).count)) }

    private static func commands(_ words: [String]) -> [any ParsableCommand.Type] {
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

    /// - Parameter what: begins the message, before the name.
    static func unknown(_ name: String, what: String = "there is no help on") -> Failure {
        let topics = HelpTopic.allCases.map(\.rawValue)
        let commands = Foyer.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases }
        let isForHelp = what.hasSuffix("help on")
        let meant = Spelling.closest(to: name, among: isForHelp ? topics + commands : commands)
        let list = isForHelp ? "topics are \(topics.joined(separator: ", ")); " : ""
        return Failure(
            .usage, "\(what) \"\(name)\"",
            hint: .text((meant.map { "did you mean \"\($0)\"? " } ?? "") + list + "\"foyer help\" lists the commands"))
    }
}

/// Standard output as help sees it: how wide, how high, in which characters, and whether a pager may come between.
struct HelpScreen {
    /// Text is not broken wider than this, since long lines are hard to read.
    private static let widest = 100
    let width: Int
    private let rows: Int
    private let isTerminal: Bool
    private let isASCII: Bool
    private let isBold: Bool
    private let environment: ProcessEnvironment

    init(wantsBold: Bool, environment: ProcessEnvironment = ProcessEnvironment()) {
        var size = winsize()
        isTerminal = isatty(STDOUT_FILENO) == 1
        let isMeasured = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        width = isMeasured ? min(Int(size.ws_col), Self.widest) : 80
        rows = isMeasured ? Int(size.ws_row) : 24
        isASCII = !Self.isUTF8(environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"])
        let kind = environment["TERM"] ?? "dumb"
        isBold = wantsBold && isTerminal && environment["NO_COLOR"] == nil && kind != "dumb" && kind != "unknown"
        self.environment = environment
    }

    /// Whether a locale of that name has UTF-8, as `de_DE.UTF-8` and `C.utf8` do.
    static func isUTF8(_ locale: String?) -> Bool {
        let name = (locale ?? "").prefix { $0 != "@" }.lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    }

    /// What there is, by groups.
    static func showOverview() {
        let screen = HelpScreen(wantsBold: true)
        screen.show(HelpOverview(width: screen.width).text)
    }

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
