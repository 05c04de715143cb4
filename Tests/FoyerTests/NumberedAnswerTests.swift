import Testing

@testable import foyer_main

@Suite struct NumberedAnswerTests {
    @Test(arguments: [("1", 0, false), (" 3 ", 2, false), ("2-", 1, true), ("2 -", 1, true)])
    func `A number sets up, and one with a minus takes back`(line: String, index: Int, takesBack: Bool) {
        let choice = NumberedAnswer(line, count: 3, mark: "-")
        #expect(choice?.index == index && choice?.isMarked == takesBack)
    }

    @Test(arguments: ["", "0", "4", "-1", "-", "1--", "x", "1+", "99999999999999999999"])
    func `Anything else chooses nothing`(line: String) { #expect(NumberedAnswer(line, count: 3, mark: "-") == nil) }
}
