import Identity
import Keys
import Testing

@testable import AppModel

@Suite struct ControlTests {
    @Test(arguments: [
        (Command.up, 4), (.down, 6), (.pageUp, 2), (.pageDown, 8), (.halfUp, 4), (.halfDown, 6), (.first, 0),
        (.last, 9), (.open, 5),
    ])
    func `A list moves by the same keys everywhere`(command: Command, place: Int) {
        var cursor = ListCursor(5)
        cursor.move(command, count: 10, page: 3)
        #expect(cursor.selected == place)
    }

    @Test func `A list never marks what is not there`() {
        var cursor = ListCursor()
        cursor.move(.last, count: 0, page: 10)
        #expect(cursor.selected == 0)
        cursor.move(.up, count: 3, page: 1)
        #expect(cursor.selected == 0)
        cursor.move(.pageDown, count: 3, page: 100)
        #expect(cursor.selected == 2)
    }

    @Test func `What is seen stands still while the mark moves within it`() {
        var cursor = ListCursor()
        for _ in 0..<12 { cursor.move(.down, count: 20, page: 5) }
        cursor.show(12, of: 20, rows: 5)
        #expect(cursor.first == 8)
        cursor.move(.up, count: 20, page: 5)
        #expect(cursor.firstRow(showing: cursor.selected, of: 20, rows: 5) == 8)
        #expect(cursor.firstRow(showing: 3, of: 20, rows: 5) == 3)
    }

    @Test func `A mark stays on what it marks while rows come and go`() {
        var chosen = ChosenRow<Int>()
        #expect(chosen.place(in: [7, 8, 9]) == 0)
        chosen.move(.down, in: [7, 8, 9], page: 1)
        #expect(chosen.place(in: [6, 7, 8, 9]) == 2)
        #expect(chosen.place(in: [6]) == 0)
    }

    @Test func `The safe answer is the one that is marked`() {
        var question = Confirmation("Remove")
        let answers = [Command.open, .moveButton, .open, .no, .yes, .up].map {
            question.answer(to: .command($0, .enter))
        }
        #expect(answers == [.cancelled, nil, .confirmed, .cancelled, .confirmed, .other(.up)])
    }

    @Test func `A field can be filled without the keys that move in it`() {
        var state = Sample.state()
        state.run(.signIn)
        state.send(.fill(2, "Mail.Read Files.Read"), .fill(5, "1"), .fill(6, "taro@example.org"))
        guard case .signIn(let wanted, _)? = state.run(.start).first else {
            Issue.record("no sign-in")
            return
        }
        #expect(wanted.request.scopes == ["Mail.Read", "Files.Read"])
        #expect(wanted.request.prompt == Prompt.allCases.first && wanted.request.loginHint == "taro@example.org")
    }

    @Test func `Letters that came together are one text, up to the next key that is none`() {
        var keys: ArraySlice<Key> = [.character("b"), .character(" "), .escape, .character("c"), .character("d")]
        #expect(Key.character("a").joined(with: &keys) == .paste("ab "))
        #expect(keys == [.escape, .character("c"), .character("d")])
        #expect(Key.escape.joined(with: &keys) == .escape)
        keys = [.enter]
        #expect(Key.character("a").joined(with: &keys) == .character("a"))
        #expect(keys == [.enter])
    }
}
