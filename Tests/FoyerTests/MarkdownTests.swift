import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct MarkdownTests {
    @Test func `A page becomes its headings, paragraphs, lists, code and tables, without comments`() {
        let page = """
            # Title

            A paragraph that goes on
            in a second line.

            <!-- written by a test -->
            ## Part
            - one, which
              goes on
            - two
              - deeper

            1. first

            ```sh
            foyer token  # | not a table

            ```

            | a | b |
            |---|---|
            | `x \\| y` | 2 |
            | 3 | |
            Text right below.
            """
        #expect(
            MarkdownBlock.parse(page) == [
                .heading(level: 1, "Title"),
                .paragraph("A paragraph that goes on in a second line."),
                .heading(level: 2, "Part"),
                .item(depth: 0, marker: "-", "one, which goes on"),
                .item(depth: 0, marker: "-", "two"),
                .item(depth: 1, marker: "-", "deeper"),
                .item(depth: 0, marker: "1.", "first"),
                .code(["foyer token  # | not a table", ""]),
                .table(header: ["a", "b"], rows: [["`x | y`", "2"], ["3", ""]]),
                .paragraph("Text right below."),
            ])
    }

    @Test func `A comment of several lines is left out`() {
        #expect(MarkdownBlock.parse("<!-- one\ntwo -->\nthree") == [.paragraph("three")])
    }

    @Test func `A number at the beginning of a line is no list, and an open fence ends with the page`() {
        #expect(MarkdownBlock.parse("2026 was a year") == [.paragraph("2026 was a year")])
        #expect(MarkdownBlock.parse("```\nopen") == [.code(["open"])])
        #expect(MarkdownBlock.parse("| no table") == [.paragraph("| no table")])
        #expect(MarkdownBlock.parse("#no heading") == [.paragraph("#no heading")])
        #expect(MarkdownBlock.parse("") == [])
    }

    @Test(arguments: [
        ("`foyer token` and ``Failure``", "foyer token and Failure"),
        ("**SIGKILL** now", "SIGKILL now"),
        ("see <doc:ExitStatuses>", "see \"foyer help exit-statuses\""),
        ("see <doc:SomethingElse>", "see SomethingElse"),
        ("[the model](SecurityModel.md) says", "the model says"),
        ("[`code`](x)", "code"),
        ("`[clients.NAME]` and [brackets]", "[clients.NAME] and [brackets]"),
        ("an open ` mark", "an open ` mark"),
        ("`a*b` * 2", "a*b * 2"),
        ("`→` `l` → Übersicht …", "→ l → Übersicht …"),
    ])
    func `Markup becomes plain text`(written: String, shown: String) {
        #expect(MarkdownText(isASCII: false).plain(written) == shown)
    }

    @Test func `Without UTF-8 arrow keys have names, and frames keep their columns`() {
        let text = MarkdownText(isASCII: true)
        #expect(text.plain("`→` `l` and → …") == "Right l and -> ...")
        #expect(text.verbatim("┌─┐ │x│ …") == "+-+ |x| .")
        #expect(text.plain("Zoë") == "Zo\\u{00EB}")
    }
}
