import Console
import Terminal
import Testing

@Suite struct MiddleCutTests {
    @Test(arguments: [
        ("ada@contoso.example", 30, "ada@contoso.example"),
        ("giovanni.lindqvist@contoso.com", 25, "giovanni.lin…@contoso.com"),
        ("giovanni.lindqvist@a-very-long-domain.example", 16, "giovanni…example"),
        ("00000000-1111-2222-3333-444444444444", 13, "00000000…4444"),
        ("東京都港区芝公園四丁目二番八号", 11, "東京都…号"),
        ("abc", 1, "a"),
    ])
    func `The beginning stays and the end, and of an address its domain`(text: String, columns: Int, cut: String) {
        #expect(MiddleTruncation.cut(text, columns: columns) == cut)
        #expect(DisplayWidth.columns(cut) <= columns)
    }

    @Test func `A terminal without UTF-8 gets three dots`() {
        #expect(
            MiddleTruncation.cut("giovanni.lindqvist@contoso.com", columns: 20, ellipsis: "...")
                == "giova...@contoso.com")
    }

    @Test func `Names that would be cut to the same are cut at another place`() {
        let names = [
            "giovanni.lindqvist.north@contoso.com", "giovanni.lindqvist.south@contoso.com", "ada@contoso.com",
            "giovanni.lindqvist.north@contoso.com",
        ]
        let cut = MiddleTruncation.distinct(names, columns: 22)
        #expect(Set(cut).count == 3 && cut[0] == cut[3] && cut[2] == "ada@contoso.com", "\(cut)")
        for name in cut { #expect(DisplayWidth.columns(name) <= 22) }
    }

    @Test func `Names that differ only in the middle show the place where they do`() {
        let ends = (String(repeating: "a", count: 40), String(repeating: "z", count: 40))
        let names = ["1", "2", "3"].map { ends.0 + $0 + ends.1 }
        let cut = MiddleTruncation.distinct(names, columns: 12)
        #expect(Set(cut).count == 3 && cut.allSatisfy { DisplayWidth.columns($0) <= 12 }, "\(cut)")
    }

    @Test func `A list of names is cut at its end, unless that makes two the same`() {
        let lists = ["User.Read Mail.Read openid", "User.Read Mail.Read email"]
        #expect(MiddleTruncation.distinct([lists[0]], columns: 12, keepsEnd: false) == ["User.Read M…"])
        #expect(Set(MiddleTruncation.distinct(lists, columns: 12, keepsEnd: false)).count == 2)
    }

    @Test func `Where the names differ before the domain, its end fills what is left`() {
        let names = ["maria.fernanda.lindqvist1", "maria.fernanda.lindqvist2"].map {
            $0 + "@subsidiary.contoso.example"
        }
        #expect(MiddleTruncation.distinct(names, columns: 40)[1] == "maria.fernanda.lindqvist2@…ntoso.example")
    }

    @Test func `A name that no cut tells from another is whole`() {
        let names = ["aaaaaaaabaaaaaaaa", "aaaaaaaacaaaaaaaa"]
        #expect(MiddleTruncation.distinct(names, columns: 1) == names)
    }

    @Test func `Two hundred people of one company stay two hundred at every width`() {
        let given = ["maria.fernanda", "jean-baptiste", "alexandra.sofia", "giovanni.battista", "katharina.elisabeth"]
        let family = ["lindqvist", "lindstroem", "lindholm", "lindberg"]
        let names = given.flatMap { given in
            family.flatMap { family in
                (1...10).map { "\(given).\(family)\($0)@subsidiary.contoso-international.example" }
            }
        }
        #expect(Set(names).count == 200)
        for columns in [12, 16, 20, 30, 40] {
            let cut = MiddleTruncation.distinct(names, columns: columns)
            #expect(Set(cut).count == 200 && cut.allSatisfy { DisplayWidth.columns($0) <= columns }, "\(columns)")
        }
    }
}
