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
}
