import ArgumentParser
import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
import StrictJSON

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Print a bug report without secrets or names",
        discussion: """
            Sends nothing and never asks for a passphrase. At a terminal, shows the report and then asks where to \
            write it; elsewhere only prints it. Never contains tokens; account names, tenants and paths only with \
            --include.
            """)
    @Option(
        help: ArgumentHelp(
            "Also include names of accounts and clients, tenants, or paths; repeatable", valueName: "what"))
    var include: [ReportInclusion] = []
    @Option(help: ArgumentHelp("Write the report to this file", valueName: "file"), completion: .file())
    var output: String?
    @Flag(help: "Write without asking; never overwrites")
    var yes = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let options = try shared.choices()
        let environment = ProcessEnvironment()
        let screen = Output(json: options.json, verbose: options.verbose, noColor: true)
        let report = await Report(options, environment, including: Set(include)).value(at: Date())
        let text: String
        if options.json {
            screen.result(report.json)
            text = report.json.serialized(pretty: true) + "\n"
        } else {
            let lines = ReportText(report: report).lines
            screen.lines(lines)
            text = lines.map { $0 + "\n" }.joined()
        }
        let usual = ReportFile.usualName + (options.json ? ".json" : ".md")
        try await write(text, named: output ?? usual, environment, screen)
    }

    private var isAtTerminal: Bool { [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 } }

    private func write(_ text: String, named name: String, _ environment: ProcessEnvironment, _ screen: Output)
        async throws(Failure)
    {
        var name = name
        var replaces = false
        if !yes || output == nil, !isAtTerminal {
            return output == nil ? () : screen.note("foyer: nothing was written; add --yes to write \(name)")
        }
        if !yes {
            let input = PlainInput()
            func ask(_ question: String) async -> String? {
                let answer = await input.answer(to: SafeText.line(question))
                return answer.map { String($0.drop(while: \.isWhitespace)) }
            }
            guard let answer = await ask("Write it to \(name)? [Y/n, or another name] "), !answer.isNo else {
                return screen.note("foyer: nothing was written")
            }
            if !answer.isEmpty, !answer.isYes { name = answer }
            if ReportFile(path: environment.expand(name)).isThere {
                replaces = await ask("\(name) already exists. Replace it? [y/N] ")?.isYes == true
                guard replaces else { return screen.note("foyer: nothing was written") }
            }
        }
        let file = ReportFile(path: environment.expand(name))
        guard replaces || !file.isThere else {
            throw Failure(.usage, "\(name) already exists", hint: "choose another file with --output, or remove it")
        }
        try file.write(text, replaces: replaces)
        screen.note("foyer: report written to \(name)")
    }
}

extension ReportInclusion: ExpressibleByArgument {}

extension String {
    fileprivate var isYes: Bool { ["y", "yes"].contains(lowercased()) }
    fileprivate var isNo: Bool { ["n", "no"].contains(lowercased()) }
}
