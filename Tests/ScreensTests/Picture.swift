import FoundationEssentials
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Compares the whole screen with the picture in the test. With UPDATE_SCREENS=1 the picture in the test file is
/// rewritten instead, found by its name; run with --no-parallel then, and look at what changed.
func expectScreen(
    _ name: String, _ state: State, glyphs: Glyphs = .utf8, is expected: String, file: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let actual = state.picture(glyphs)
    guard ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" else {
        #expect(actual == expected, sourceLocation: sourceLocation)
        return
    }
    let source = try String(contentsOfFile: file, encoding: .utf8)
    let fence = "#\"\"\""
    guard let call = source.firstRange(of: "\"\(name)\""),
        let opening = source[call.upperBound...].firstRange(of: fence + "\n"),
        let closing = source[opening.upperBound...].firstRange(of: "\"\"\"#")
    else {
        Issue.record("no picture is named \(name)", sourceLocation: sourceLocation)
        return
    }
    let indent = String(repeating: " ", count: 16)
    let picture = actual.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indent + $0 }
        .joined(
            separator: "\n")
    let rewritten = source[..<opening.upperBound] + picture + "\n" + indent + source[closing.lowerBound...]
    try String(rewritten).write(toFile: file, atomically: true, encoding: .utf8)
}
