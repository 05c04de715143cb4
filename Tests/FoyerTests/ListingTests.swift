import AppModel
import Console
import Identity
import Terminal
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct ListingTests {
    private let columns: [Listing.Column] = [
        .init(title: "ACCOUNT", least: 10), .init(title: "TOKEN"), .init(title: "NAME", least: 6, rank: 1),
        .init(title: "TENANT", rank: 2), .init(title: "KEY", isForPipes: true),
    ]

    private func listing(_ rows: [[String]]) -> Listing {
        Listing(columns, rows: rows.map { row in row.map { Listing.Cell($0) } })
    }

    private let rows = [
        ["zoe@fabrikam.example", "needs sign-in", "Zoe", "fabrikam.example", "k1"],
        ["ada@contoso.example", "59 min", "Ada Lovelace", "contoso.example", "k2"],
    ]

    @Test func `A pipe gets everything whole, with tabs and without colour`() {
        #expect(
            listing(rows).lines(ResultScreen(columns: nil)) == [
                "ACCOUNT\tTOKEN\tNAME\tTENANT\tKEY", "zoe@fabrikam.example\tneeds sign-in\tZoe\tfabrikam.example\tk1",
                "ada@contoso.example\t59 min\tAda Lovelace\tcontoso.example\tk2",
            ])
    }

    @Test func `A tab or a line break in a name moves no cell of a pipe`() {
        let lines = listing([["ada\t\n", "", "", "", ""]]).lines(ResultScreen(columns: nil))
        #expect(lines.count == 2 && lines[1].split(separator: "\t", omittingEmptySubsequences: false).count == 5)
    }

    @Test func `A wide terminal has every column but those for pipes`() {
        #expect(
            listing(rows).lines(ResultScreen(columns: 100)) == [
                "ACCOUNT               TOKEN          NAME          TENANT",
                "zoe@fabrikam.example  needs sign-in  Zoe           fabrikam.example",
                "ada@contoso.example   59 min         Ada Lovelace  contoso.example",
            ])
        #expect(listing(rows).lines(ResultScreen(columns: 10), isWide: true)[1].hasSuffix("fabrikam.example  k1"))
    }

    @Test func `Columns go by their rank before a name is cut`() {
        #expect(listing(rows).lines(ResultScreen(columns: 52))[0] == "ACCOUNT               TOKEN          NAME")
        let narrow = listing(rows).lines(ResultScreen(columns: 30))
        #expect(narrow[0] == "ACCOUNT          TOKEN" && narrow[1] == "zoe@fab…example  needs sign-in", "\(narrow)")
        #expect(narrow.allSatisfy { DisplayWidth.columns($0) <= 30 } && Set(narrow).count == 3)
    }

    @Test func `A column that alone tells two rows apart stays`() {
        let homonyms = [
            ["ada@contoso.example", "59 min", "Ada", "contoso.example", ""],
            ["ada@contoso.example", "59 min", "Ada", "fabrikam.example", ""],
        ]
        let lines = listing(homonyms).lines(ResultScreen(columns: 40))
        #expect(Set(lines).count == 3 && lines[2].contains("fabrikam.example"), "\(lines)")
    }

    @Test(arguments: [40, 60, 80, 110, 200])
    func `Two hundred accounts with real names fit, and no two rows are the same`(width: Int) {
        let names = ["maria.fernanda.de.oliveira", "jean-baptiste.de.la.fontaine", "alexandra.sofia.papadopoulou"]
        let rows = (0..<200).map { index in
            [
                "\(names[index % 3]).\(["lindqvist", "lindholm"][index % 2])\(index)@sub.contoso-international.example",
                index % 7 == 0 ? "needs sign-in" : "renews on use", "Maria Fernanda \(index % 5)",
                "c0000000-0000-4000-8000-00000000c001", "",
            ]
        }
        let lines = listing(rows).lines(ResultScreen(columns: width))
        #expect(lines.count == 201 && Set(lines).count == 201)
        for line in lines { #expect(DisplayWidth.columns(line) <= width, "\(line)") }
    }

    @Test func `Colours are those of the theme's roles, and the text between them is the same`() {
        let listing = Listing(
            [.init(title: "A"), .init(title: "B")],
            rows: [[.init("x", sign: TextSpan("", .ok, sign: .full)), .init("needs sign-in", .danger)]])
        let plain = listing.lines(ResultScreen(columns: 80))
        #expect(plain == ["  A  B", "● x  needs sign-in"])
        let themed = ResultScreen(columns: 80, colors: TextColors(theme: .monochrome, depth: .sixteen))
        let lines = listing.lines(themed)
        #expect(lines[1].contains("\u{1B}[") && lines[1].hasSuffix("\u{1B}[0m"))
        #expect(lines.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") } == plain)
        #expect(listing.lines(ResultScreen(columns: 80, glyphs: .ascii))[1] == "* x  needs sign-in")
    }

    @Test func `Sections have headings at a terminal and none in a pipe`() {
        let listing = Listing(
            [.init(title: "CLIENT", isForPipes: true), .init(title: "ID")],
            [
                .init(heading: [TextSpan("work")], rows: [[.init("work"), .init("1")]]),
                .init(heading: [TextSpan("cli")], rows: [[.init("cli"), .init("2")]]),
            ])
        #expect(listing.lines(ResultScreen(columns: 80)) == ["  ID", "work", "  1", "", "cli", "  2"])
        #expect(listing.lines(ResultScreen(columns: nil)) == ["CLIENT\tID", "work\t1", "cli\t2"])
    }

    @Test(arguments: [
        ("xterm-256color", nil, ColorDepth.palette), ("xterm", nil, .sixteen), ("linux", nil, .eight),
        ("xterm", "truecolor", .direct), ("vt220", nil, .eight), ("foot-direct", nil, .direct),
    ])
    func `How many colours there are is told from the names of terminals`(
        terminal: String, colorTerm: String?, depth: ColorDepth
    ) {
        #expect(ColorDepth.named(terminal, colorTerm: colorTerm) == depth)
    }
}

@Suite struct TokenIDTests {
    private func token(_ key: String, _ kind: CachedCredential.Kind = .accessToken, home: String = "a.b")
        -> CachedCredential
    {
        CachedCredential(
            id: key, kind: kind, clientID: "client", homeAccountID: home, environment: "login.example",
            scopes: ["User.Read"], secret: Secret("never shown"))
    }

    @Test func `A token has the same identifier in every call, whatever else is there`() {
        let one = token("key-1")
        let alone = TokenIDs([one])[one]
        #expect(TokenIDs([token("key-2"), one, token("key-3", .idToken)])[one] == alone)
        #expect(alone.wholeMatch(of: /[0-9a-f]{4}-a[0-9]{3}/) != nil, "\(alone)")
    }

    @Test func `Tokens of one account and client begin alike, and the kind is a letter`() {
        let tokens = [token("1"), token("2", .refreshToken), token("3", .idToken), token("4", home: "c.d")]
        let ids = TokenIDs(tokens)
        let groups = tokens.map { String(ids[$0].prefix(4)) }
        #expect(groups[0] == groups[1] && groups[1] == groups[2] && groups[2] != groups[3])
        #expect(tokens.map { Array(ids[$0])[5] } == ["a", "r", "i", "a"])
    }

    @Test func `Twenty thousand tokens have twenty thousand identifiers`() {
        let tokens = (0..<20_000).map { token("key-\($0)", home: "account-\($0 / 10)") }
        let ids = TokenIDs(tokens)
        #expect(Set(tokens.map { ids[$0] }).count == tokens.count)
    }

    @Test func `An unambiguous beginning finds its token, and an ambiguous one is listed`() throws {
        let tokens = [token("1"), token("2", .refreshToken), token("3", .idToken)]
        let ids = TokenIDs(tokens)
        for one in tokens {
            #expect(try TokenIDs.find(ids[one], among: tokens)?.id == one.id)
            #expect(try TokenIDs.find(String(ids[one].prefix(6)).uppercased(), among: tokens)?.id == one.id)
            #expect(try TokenIDs.find(one.id, among: tokens)?.id == one.id)
        }
        let failure = #expect(throws: Failure.self) {
            try TokenIDs.find(String(ids[tokens[0]].prefix(4)), among: tokens)
        }
        #expect(failure?.code == .ambiguous && tokens.allSatisfy { failure?.message.contains(ids[$0]) == true })
        #expect(failure?.message.contains("never shown") == false)
        #expect(try TokenIDs.find("ffff-a", among: []) == nil)
    }

    @Test(arguments: [
        ("c41e-a1", true), ("c41e", true), ("c4", true), ("c41e-", true), ("C41E-R099", true), ("c41e-aff", false),
        ("c41-a1", false),
        ("c41e-x1", false), ("eyJhbGciOiJub25lIn0.e30.", false), ("", false), ("-", false), ("c41e5", false),
        ("c41e-a107-", false),
    ])
    func `Only what can be the beginning of an identifier is taken for one`(text: String, isBeginning: Bool) {
        #expect(TokenIDs.isBeginning(text) == isBeginning)
    }
}
