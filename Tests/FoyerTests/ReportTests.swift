import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import foyer_main

/// What gets into a report, at its lowest layer.
@Suite struct ReportTests {
    @Test func `A word that is not on the list is none`() {
        #expect(ReportWord("debian", of: ReportLists.distributions)?.text == "debian")
        for text in ["Debian", "debian ", "contoso-linux", "", "deb\u{301}ian"] {
            #expect(ReportWord(text, of: ReportLists.distributions) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("6.1.0-18-cloud-amd64", "6.1.0-18-cloud-amd64"), ("6.1.0-contoso", "6.1.0-…"),
            ("5.15.90.1-microsoft-standard-WSL2", "5.15.90.1-microsoft-standard-WSL2"),
            ("6.1.0-ada@contoso", "6.1.0-…"), ("6.1.12345678901", "6.1.…"),
        ])
    func `Of a kernel's release each part is a number or known`(release: String, shown: String) {
        #expect(ReportWord(parts: release, of: ReportLists.kernelWords, separators: ".-+_")?.text == shown)
    }

    @Test func `A type of terminal shows no word of somebody's own`() {
        func shown(_ type: String) -> String? {
            ReportWord(parts: type, of: ReportLists.terminalWords, separators: "-+.")?.text
        }
        #expect(shown("tmux-256color") == "tmux-256color")
        #expect(shown("xterm-ada") == "xterm-…")
        #expect(shown("\u{1B}[31m") == "…")
        #expect(shown("") == nil && shown(String(repeating: "x", count: 101)) == nil)
    }

    @Test func `A version is numbers and dots`() {
        #expect(ReportWord(version: "22.04")?.text == "22.04")
        #expect(ReportWord(version: "1.2.3-contoso")?.text == "1.2.3")
        #expect(ReportWord(version: "1.2.ada.4")?.text == "1.2")
        #expect(ReportWord(version: "contoso") == nil && ReportWord(version: "12345678901") == nil)
    }

    @Test func `Words of others are there for who asked for them, and cannot steer a terminal`() {
        let none: Set<ReportInclusion> = []
        let names: Set<ReportInclusion> = [.names]
        #expect(none.word(.names, "ada@contoso.example") == nil && names.word(.tenants, "contoso") == nil)
        #expect(names.word(.names, "ada\u{1B}[31m\n\u{202E}x")?.text == "ada‹U+001B›[31m‹U+000A›‹U+202E›x")
        #expect((names.word(.names, String(repeating: "a", count: 999))?.text.count ?? 999) <= 240)
    }

    @Test func `A distribution that somebody has made is told by what it is made of`() {
        func shown(_ text: String) -> [String?] {
            let found = Distribution(osRelease: text)
            return [found.name.text, found.version?.text]
        }
        #expect(shown("NAME=\"x\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n") == ["ubuntu", "24.04"])
        #expect(shown("ID=contoso\nVERSION_ID=7\nID_LIKE=\"fabrikam debian\"") == ["debian", nil])
        #expect(shown("ID=contoso\u{1B}]0;\n") == ["another", nil] && shown("") == ["another", nil])
        #expect(shown("ID=debian\nVERSION_ID=12-contoso") == ["debian", "12"])
    }

    @Test func `Only the well-known name of a client is told`() {
        #expect(Report.client("04b07795-8ddb-461a-bbee-02f9e1bf7b46").text == "Azure CLI")
        #expect(Report.client("11111111-2222-3333-4444-555555555555").text == "another client")
        #expect(Report.client("Azure CLI").text == "another client")
    }

    @Test func `Text and JSON are made of one value, and text is no Markdown of its own`() throws {
        let included: Set<ReportInclusion> = [.names]
        let id = try #require(UUID(uuidString: "7F2F5E0B-0000-4000-8000-000000000001"))
        let report = ReportValue(
            (
                "oneThing",
                ReportValue(
                    ("isSet", true), ("nothing", .unknown), ("left", nil),
                    ("name", included.word(.names, "<b>*a*</b> `x`").map { .word($0) }))
            ),
            ("items", .list([ReportValue(("correlationId", .id(id)), ("count", ReportValue(7)))])),
            ("empty", .list([])))
        #expect(
            ReportText(report: report).lines == [
                "# Foyer report", "", "## One thing", "", "- is set: yes", "- nothing: unknown",
                #"- name: \<b\>\*a\*\</b\> \`x\`"#, "", "## Items", "",
                "- correlation id: 7f2f5e0b-0000-4000-8000-000000000001; count: 7", "", "## Empty", "", "none",
            ])
        #expect(
            report.json.serialized()
                == #"{"oneThing":{"isSet":true,"nothing":null,"name":"<b>*a*</b> `x`"},"items":"#
                + #"[{"correlationId":"7f2f5e0b-0000-4000-8000-000000000001","count":7}],"empty":[]}"#)
    }

    // MARK: The record of failures

    /// A record in a folder of its own.
    private func withRecord(_ body: (FailureRecord, String) throws -> Void) throws {
        let folder = try TemporaryFolder("report", ProcessEnvironment())
        defer { folder.remove() }
        let environment = ProcessEnvironment { $0 == "XDG_STATE_HOME" ? folder.path : nil }
        try body(FailureRecord(environment), folder.path + "/foyer/failures.json")
    }

    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func `A failure without a provider is not recorded`() throws {
        try withRecord { record, _ in
            for code in Failure.Code.allCases { record.note(Failure(code, "x"), .aad, at: now) }
            #expect(Set(record.read().map(\.code)) == [.serverError, .unavailable, .untrustedResponse])
            record.note(Failure(.interactionRequired, "x", oauthError: "invalid_grant"), .oidc, at: now)
            #expect(record.read().first?.authority == .oidc)
        }
    }

    @Test func `The same failure again takes the place of the last one, and twenty are kept`() throws {
        try withRecord { record, path in
            let ids = [UUID(), UUID()]
            for id in ids {
                record.note(Failure(.serverError, "x", serverCodes: [7], correlationID: id), .b2c, at: now)
            }
            #expect(record.read().map(\.correlationID) == [ids[1]])
            for number in 1...40 {
                let failure = Failure(
                    .serverError, "ada", oauthError: "SECRET", suberror: "SECRET",
                    serverCodes: Array(repeating: number, count: 50), claims: "SECRET", oauthDescription: "SECRET")
                record.note(failure, .adfs, at: now)
            }
            let kept = record.read()
            #expect(kept.count == FailureRecord.mostEntries && kept.first?.numbers == Array(repeating: 40, count: 8))
            let bytes = try #require(try TextFile.read(path, limit: 65_536, what: "file"))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("SECRET") && !text.contains("ada"))
        }
    }
}
