import AppModel
import Foundation
import Identity
import Testing

@testable import CommandSupport
@testable import foyer_main

/// Tables that exist in code are written into the reference from there:
/// `UPDATE_DOCS=1 swift test --filter ReferenceTableTests`.
@Suite(.serialized) struct ReferenceTableTests {
    private static let catalogue = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/foyer/foyer.docc").standardized
    private static let sources = catalogue.appending(path: "../..").standardized

    /// The part of a page between `<!-- NAME: … -->` and `<!-- end of NAME -->`.
    private func check(_ name: String, of page: String, is table: String) throws {
        let file = Self.catalogue.appending(path: page + ".md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let comment = try #require(text.range(of: "<!-- \(name): "))
        let start = try #require(text.range(of: "-->\n", range: comment.upperBound..<text.endIndex)).upperBound
        let end = try #require(text.range(of: "<!-- end of \(name) -->")).lowerBound
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
            let updated = text.replacingCharacters(in: start..<end, with: table)
            try updated.write(to: file, atomically: false, encoding: .utf8)
        } else {
            #expect(text[start..<end] == table)
        }
    }

    @Test func `The keys of the reference are those of the key tables`() throws {
        try check("keys", of: "Keys", is: KeyTable.markdown(Registry.keyTables) + "\n")
    }

    @Test func `The settings of the reference are those that the reader of the file accepts`() throws {
        try check("settings", of: "Settings", is: SettingsTable.markdown)
    }

    @Test func `The known servers of the reference are the built-in ones`() throws {
        try check("servers", of: "Providers", is: KnownServerTable.markdown)
    }

    @Test func `The exit statuses of the reference are those that commands end with`() throws {
        try check("statuses", of: "ExitStatuses", is: ExitStatusTable.markdown)
    }

    @Test func `The identity variables of the reference are those that started programs get and lose`() throws {
        try check("identities", of: "Identities", is: IdentitySourceTable.markdown)
    }

    @Test func `The example of the reference is a settings file that the program accepts`() throws {
        for topic in [HelpTopic.settings, .keys, .stores, .programs] {
            let examples = topic.markdown.components(separatedBy: "```toml\n").dropFirst()
            #expect(examples.count == 1, "\(topic)")
            for example in examples {
                let text = example.components(separatedBy: "```")[0].replacing("# issuer", with: "issuer").replacing(
                    "# [", with: "["
                )
                .replacing("# revocation", with: "revocation")
                let settings = try SettingsReader(path: "config.toml", text: text).settings()
                _ = try settings.keys.changes(in: "config.toml")
            }
        }
    }

    @Test func `A setting of the reference is accepted by the reader, and another one is not`() throws {
        // A reader that knew other names than the table would refuse one of these, or take the last one.
        for (header, settings) in [
            ("[clients.x]\nclient_id = \"x\"\n", SettingsTable.client), ("[stores.azure-cli]\n", SettingsTable.store),
            ("[family]\n", SettingsTable.family), ("[[rules]]\n", SettingsTable.rule), ("", SettingsTable.top),
            ("[agents]\n", SettingsTable.agents),
        ] {
            for name in SettingsTable.names(settings) + ["nonsense"] {
                let file = header + (name == "client_id" ? "" : "\(name) = 7\n")
                do {
                    _ = try SettingsReader(path: "config.toml", text: file).settings()
                    #expect(name == "client_id" || name == "expiration_buffer", "\(name) = 7")
                } catch {
                    #expect(error.message.contains("unknown setting") == (name == "nonsense"), "\(error.message)")
                }
            }
        }
    }

    @Test
    func `Each environment variable of the reference is read somewhere, and each of foyer's own is in the reference`()
        throws
    {
        let page = try String(contentsOf: Self.catalogue.appending(path: "Settings.md"), encoding: .utf8)
        let part = try #require(
            page.components(separatedBy: "## Environment variables\n").last?.components(separatedBy: "\n## ").first)
        let rows = part.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let named = Set(
            rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([A-Z_]+)`/).map { String($0.output.1) } })
        #expect(named.count > 12)
        var code = ""
        for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
        where file.hasSuffix(".swift") {
            code += try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
        }
        for name in named { #expect(code.contains("\"\(name)\""), "\(name)") }
        for match in code.matches(of: /"(FOYER_[A-Z_]+)"/) {
            #expect(named.contains(String(match.output.1)), "\(match.output.1)")
        }
        for mark in AgentSession.marks { #expect(part.contains("`\(mark.variable)"), "\(mark.variable)") }
    }
}
