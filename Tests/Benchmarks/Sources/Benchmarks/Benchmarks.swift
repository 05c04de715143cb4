// Benchmarks times whole commands as a person and a script meet them, beside other programs in the same run.
// Nothing is asserted here: machines differ, and ratios taken in one run are what counts.

import Glibc
import StrictJSON

@main
enum Benchmarks {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if Stores.write(words) { return }
        var options: Options
        do { options = try Options(words) } catch {
            say("Benchmarks: unknown: \(error.word)\n\(Options.usage)")
            exit(64)
        }
        guard Programs.missing.isEmpty else {
            let missing = Programs.missing.joined(separator: ", ")
            say("Benchmarks: not in \(Programs.folder): \(missing); build them, or name their folder in FOYER_BIN:")
            say("    swift build -c release --static-swift-stdlib")
            exit(78)
        }
        if options.output == .readme { options.parts = ReadmeTable.parts }
        let scratch = Scratch()
        defer { scratch.remove() }
        print(run(options, scratch).joined(separator: "\n"))
    }

    /// - Returns: what is printed at the end.
    private static func run(_ options: Options, _ scratch: Scratch) -> [String] {
        let bench = Bench(scratch: scratch, python: Python.withMSAL(scratch.environment), options: options)
        var report = Report(
            machine: .current, versions: Versions.all(scratch.environment, python: bench.python),
            isQuick: options.isQuick)
        #if DEBUG
            report.leaveOut("by a release build", "as Benchmarks is a debug build; its figures say little")
        #endif
        if Programs.name(Programs.folder) == "debug" {
            report.leaveOut("a release build", "as \(Programs.folder) is a debug build; its figures say little")
        }
        if options.output == .text { for line in report.heading + report.lines(after: 0, 0) { print(line) } }
        for part in options.parts {
            let (figures, omissions) = (report.figures.count, report.omissions.count)
            switch part {
            case .hit: Hit.measure(bench, into: &report)
            case .large: Large.measure(bench, into: &report)
            case .frame: Frame.measure(bench, into: &report)
            case .refresh: Refresh.measure(bench, into: &report)
            case .instructions: Instructions.measure(bench, into: &report)
            }
            if options.output == .text {
                print("\n\(part.rawValue)")
                for line in report.lines(after: figures, omissions) { print("  " + line) }
            }
        }
        return switch options.output {
        case .text: []
        case .json: [report.json.serialized(pretty: true)]
        case .readme: ReadmeTable.lines(report)
        }
    }

    private static func say(_ line: String) { _ = write(STDERR_FILENO, line + "\n", line.utf8.count + 1) }
}
