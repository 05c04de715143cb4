import Foundation
import StrictJSON
import Testing

@testable import Benchmarks

@Suite struct ReportTests {
    private let machine = Machine(processor: "Some CPU", cores: 2, gigabytes: 16, kernel: "6.1.0", load: 0.25)

    private var report: Report {
        var report = Report(machine: machine, versions: [("foyer", "1.2.3"), ("ncdu", "1.18")], isQuick: true)
        report.add("hit.true", "/bin/true", seconds: [0.001, 0.002, 0.0005])
        report.add("hit.foyer", "foyer token", seconds: [0.004, 0.003, 0.005])
        report.add("large.memory", "memory", bytes: [59_400_000])
        report.add("instructions.hit", "instructions", instructions: [2_900_000])
        report.add("refresh.requests", "refreshes", .count, [1, 1])
        report.addRatio("hit.foyer/true", "foyer / true", [4, 3, 5], [1, 2, 0.5])
        report.addRatio("hit.foyer/none", "foyer / none", [4], nil)
        report.add("frame.ncdu", "ncdu", seconds: [])
        report.leaveOut("nnn", "as it is not installed")
        return report
    }

    @Test
    func `The JSON is one object with machine, versions, every figure with its unit and runs, and what is missing`()
        throws
    {
        let json = try JSONValue(parsing: Array(report.json.serialized(pretty: true).utf8))
        #expect(
            json.object?.members.map(\.name) == ["machine", "versions", "quick", "figures", "notMeasured"])
        #expect(
            json["machine"] == [
                "processor": "Some CPU", "cores": 2, "memoryGB": 16, "kernel": "6.1.0",
                "load": .number(JSONNumber(text: "0.25")),
            ])
        #expect(json["versions"] == ["foyer": "1.2.3", "ncdu": "1.18"])
        #expect(json["quick"]?.bool == true)
        let figures = try #require(json["figures"]?.array)
        #expect(
            figures.compactMap { $0["id"]?.string } == [
                "hit.true", "hit.foyer", "large.memory", "instructions.hit", "refresh.requests", "hit.foyer/true",
            ])
        #expect(figures.compactMap { $0["unit"]?.string } == ["ms", "ms", "MB", "M instructions", "count", "times"])
        #expect(figures.compactMap { $0["runs"]?.integer } == [3, 3, 1, 1, 2, 1])
        let first = try #require(figures.first)
        #expect(
            first.object?.members.map(\.name) == [
                "id", "name", "unit", "runs", "median", "lowerQuartile", "upperQuartile", "least", "most",
            ])
        #expect(
            ["median", "lowerQuartile", "upperQuartile", "least", "most"].compactMap { first[$0]?.double }
                == [1, 0.75, 1.5, 0.5, 2])
        #expect(figures.last?["median"]?.double == 4)
        #expect(json["notMeasured"]?.array?.compactMap { $0["what"]?.string } == ["ncdu", "nnn"])
    }

    @Test func `The README's table has the rows that the program prints`() throws {
        let repository = try #require(Programs.repository(above: #filePath))
        let text = try String(contentsOfFile: repository + "/README.md", encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## How fast\n").dropFirst().first)
        let table = section.components(separatedBy: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        func names(_ lines: some Sequence<String>) -> [String] {
            lines.dropFirst(2).map { String($0.dropFirst(2)).components(separatedBy: " | ")[0] }
        }
        #expect(names(table) == names(ReadmeTable.lines(report)))
        #expect(!table.isEmpty)
    }

    @Test func `A row has medians, and a dash for what was not measured`() throws {
        let lines = ReadmeTable.lines(report)
        #expect(lines[0] == "| Medians on 2 cores of Some CPU | Foyer | beside it |")
        #expect(lines[2] == "| `foyer token`, cached | 4.00 ms | `/bin/true` 1.00 ms |")
        #expect(lines[4] == "| First screen, 20 accounts | – |  |")
    }
}
