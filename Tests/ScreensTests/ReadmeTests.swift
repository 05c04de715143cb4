import Foundation
import Screens
import Testing

@Suite struct ReadmeTests {
    private static let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md")
        .standardized

    @Test func `The README's keys are those of the key tables`() throws {
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let start = try #require(text.range(of: "ReadmeTests -->\n"))
        let end = try #require(text.range(of: "<!-- end of keys -->"))
        if ProcessInfo.processInfo.environment["UPDATE_README"] == "1" {
            let updated = text.replacingCharacters(
                in: start.upperBound..<end.lowerBound, with: KeyTable.markdown + "\n")
            try updated.write(to: Self.readme, atomically: false, encoding: .utf8)
        } else {
            #expect(text[start.upperBound..<end.lowerBound] == KeyTable.markdown + "\n")
        }
    }
}
