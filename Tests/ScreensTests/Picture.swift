import FoundationEssentials
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// Compares the frames over a screen, and the footer, with the picture in the test: for what the screen below does not
/// change.
func expectOverlay(
    _ name: String, _ state: State, is expected: String, file: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectPicture(name, state.overlay, is: expected, file: file, sourceLocation: sourceLocation)
}

extension State {
    /// The smallest rectangle with all frames, and the footer without its margins.
    var overlay: String {
        let lines = picture().split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
        let framed = lines.indices.filter { lines[$0].contains("┌") || lines[$0].contains("└") }
        let left = framed.compactMap { lines[$0].firstIndex { "┌└".contains($0) } }.min() ?? 0
        let right = framed.compactMap { lines[$0].lastIndex { "┐┘".contains($0) } }.max() ?? 0
        let rows = (framed.first ?? 0)...(framed.last ?? 0)
        let cut = lines[rows].map { trimmed($0.dropFirst(left).prefix(right - left + 1)) }
        return (cut + [trimmed((lines.last ?? [])[...].drop { $0 == " " })]).joined(separator: "\n")
    }

    private func trimmed(_ line: ArraySlice<Character>) -> String {
        String(line[..<((line.lastIndex { $0 != " " } ?? line.startIndex - 1) + 1)])
    }
}

/// Compares the whole screen with the picture in the test.
func expectScreen(
    _ name: String, _ state: State, glyphs: Glyphs = .utf8, is expected: String, file: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectPicture(name, state.picture(glyphs), is: expected, file: file, sourceLocation: sourceLocation)
}

/// With UPDATE_SCREENS=1 the picture in the test file is rewritten instead, found by its name; run with --no-parallel
/// then, and look at what changed.
private func expectPicture(
    _ name: String, _ actual: String, is expected: String, file: String, sourceLocation: SourceLocation
) throws {
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
