import Terminal
import Testing

@testable import CommandSupport
@testable import Console
@testable import foyer_main

@Suite struct HelpLayoutTests {
    private func shown(_ page: String, width: Int, isASCII: Bool = false) -> String {
        HelpPageLayout(width: width, isASCII: isASCII).lines(MarkdownBlock.parse(page)).map(\.text).joined(
            separator: "\n")
    }

    @Test func `A page has its headings at the left and its text broken at the width`() {
        let page = """
            # Keys
            The keys of the interface, and what they do on each screen.
            ## Change a key
            - a key of another command of the same screen is refused
            - short

            ```toml
            [keys.picker]

            remove = "D"
            ```
            ### Accounts
            Text.
            """
        #expect(
            shown(page, width: 40) == """
                KEYS
                  The keys of the interface, and what
                  they do on each screen.

                CHANGE A KEY
                  - a key of another command of the same
                    screen is refused
                  - short

                    [keys.picker]

                    remove = "D"

                  Accounts
                    Text.
                """)
    }

    @Test func `A table that fits has aligned columns`() {
        let table = """
            | key | what it does |
            |---|---|
            | `Enter` `→` | open |
            | `Ü` | a word |
            """
        #expect(
            shown(table, width: 80) == """
                  KEY      WHAT IT DOES
                  Enter →  open
                  Ü        a word
                """)
    }

    @Test func `A wide column is broken, and the first one stays in a line`() {
        let table = """
            | key | what it does |
            |---|---|
            | `x` | remove the account from one client here; asks first |
            | `o` | revoke |
            """
        #expect(
            shown(table, width: 40) == """
                  KEY  WHAT IT DOES
                  x    remove the account from one
                       client here; asks first
                  o    revoke
                """)
    }

    @Test func `Rows are apart where the first column is broken, too`() {
        let table = """
            | threat | defence |
            |---|---|
            | another port of the same host asks | entries belong to an issuer |
            | the disk is full | space is taken first |
            """
        #expect(
            shown(table, width: 46) == """
                  THREAT                 DEFENCE
                  another port of the    entries belong to an
                  same host asks         issuer

                  the disk is full       space is taken first
                """)
    }

    @Test func `Columns that would be too narrow become a list for each row`() {
        let table = """
            | situation | status | message | next step |
            |---|---|---|---|
            | the password has expired | 3 | the password has expired (AADSTS50055) | sign in and set a new one |
            | 503 | 6 | the provider failed with something long | |
            """
        #expect(
            shown(table, width: 54) == """
                  the password has expired
                    status     3
                    message    the password has expired (AADSTS50055)
                    next step  sign in and set a new one

                  503
                    status     6
                    message    the provider failed with something long
                """)
    }

    @Test(arguments: HelpTopic.allCases, [(80, false), (80, true), (100, false), (47, true)])
    func `No line of a topic is wider than the screen, but code that is copied`(topic: HelpTopic, screen: (Int, Bool)) {
        let blocks = MarkdownBlock.parse(topic.markdown)
        let text = MarkdownText(isASCII: screen.1)
        var code: Set<Substring> = []
        for case .code(let lines) in blocks { code.formUnion(lines.map { text.verbatim($0).drop { $0 == " " } }) }
        let lines = HelpPageLayout(width: screen.0, isASCII: screen.1).lines(blocks)
        #expect(lines.count > 20)
        for line in lines {
            #expect(
                DisplayWidth.columns(line.text) <= screen.0 || code.contains(line.text.drop { $0 == " " }),
                "\(line.text)")
            #expect(!screen.1 || line.text.utf8.allSatisfy { $0 < 0x80 }, "\(line.text)")
        }
    }

    @Test(arguments: HelpTopic.allCases)
    func `The code of a topic fits into eighty columns`(topic: HelpTopic) {
        for case .code(let lines) in MarkdownBlock.parse(topic.markdown) {
            for line in lines { #expect(DisplayWidth.columns(line) <= 76, "\(line)") }
        }
    }

    @Test(arguments: HelpTopic.allCases)
    func `Nothing of a page is lost on the way to the terminal`(topic: HelpTopic) {
        // Wide enough that no cell is broken: cells of one row are looked for one by one.
        let lines = HelpPageLayout(width: 400, isASCII: false).lines(MarkdownBlock.parse(topic.markdown))
        let shown = lines.map { $0.text.lowercased() }.joined(separator: "\n")
        let text = MarkdownText(isASCII: false)
        for block in MarkdownBlock.parse(topic.markdown) {
            let parts: [String] =
                switch block {
                case .heading(_, let title): [title]
                case .paragraph(let paragraph): [paragraph]
                case .item(_, _, let item): [item]
                case .code(let lines): lines
                case .table(let header, let rows): header + rows.flatMap(\.self)
                }
            for part in parts where !part.isEmpty && part.count < 300 {
                let wanted = if case .code = block { part } else { text.plain(part) }
                #expect(shown.contains(wanted.lowercased()), "\(wanted)")
            }
        }
    }
}
