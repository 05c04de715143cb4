import Foundation
import Testing

/// What the articles promise beyond their links, which `.packaging/site` follows.
@Suite struct DocumentationTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized
    private static let catalogue = sources.appending(path: "SilentFirst/SilentFirst.docc")

    private static func files(_ folder: URL, _ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            $0.pathExtension == ending
        }
    }

    @Test func `Each threat of the security model names a test that exists`() throws {
        let model = try String(
            contentsOf: Self.sources.appending(path: "foyer/foyer.docc/SecurityModel.md"), encoding: .utf8)
        let named = model.split(separator: "\n").compactMap {
            $0.firstMatch(of: /\| `([^`]+)` \|$/).map { String($0.output.1) }
        }
        #expect(named.count >= 25)
        var tests = ""
        let folder = Self.sources.appending(path: "../Tests").standardized
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".swift") || file.hasSuffix(".py") {
            tests += try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        }
        for name in named { #expect(tests.contains("`\(name)`(") || tests.contains("def \(name)("), "\(name)") }
    }

    @Test func `Every article is linked from the landing page, and AD_PROMPT_AUTO comes first in the mapping`() throws {
        let landing = try String(contentsOf: Self.catalogue.appending(path: "SilentFirst.md"), encoding: .utf8)
        for file in try Self.files(Self.catalogue, "md") {
            let name = file.deletingPathExtension().lastPathComponent
            #expect(name == "SilentFirst" || landing.contains("<doc:\(name)>"), "\(name)")
        }
        let mapping = try String(contentsOf: Self.catalogue.appending(path: "ComingFromMSAL.md"), encoding: .utf8)
        #expect(mapping.split(separator: "\n").first { $0.hasPrefix("## ") } == "## What AD_PROMPT_AUTO was")
    }

    @Test func `Every sample of the library is compiled and run by a test`() throws {
        func lines(_ text: some StringProtocol) -> String {
            text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
        }
        let article = try String(contentsOf: Self.catalogue.appending(path: "Samples.md"), encoding: .utf8)
        let samples = article.matches(of: /```swift\n((?s).*?)```/).map { lines($0.output.1) }
        let tests = Self.sources.appending(path: "../Tests/SilentFirstTestingTests/SampleTests.swift").standardized
        let compiled = lines(try String(contentsOf: tests, encoding: .utf8))
        #expect(samples.count >= 12)
        for sample in samples { #expect(compiled.contains(sample), "\(sample)") }
    }
}
