import Testing

@testable import Terminal

@Suite struct AnswerGuardTests {
    private let start = ContinuousClock.now
    private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    /// A guard whose question was drawn at zero.
    private func asking() -> AnswerGuard<String> {
        var guarded = AnswerGuard<String>()
        guarded.follow("remove?")
        guarded.drawn(at: start)
        return guarded
    }

    @Test func `Without a question every key counts at once`() {
        var guarded = AnswerGuard<String>()
        guarded.drawn(at: start)
        let admitted = [KeyEffect.answers, .types, .other].map { guarded.admits($0, at: start) }
        #expect(admitted == [true, true, true] && guarded.settlesAt == nil)
    }

    @Test(arguments: [0, 5, 50, 150, 240, 400, 499, 10_000])
    func `A key that was typed before the question had settled does not answer it, however late it is read`(late: Int) {
        var guarded = asking()
        let admitted = guarded.admits(.answers, at: after(late))
        #expect(!admitted)
        // Whoever is still typing has not looked up yet.
        #expect(guarded.settlesAt == after(late + 500))
    }

    @Test func `An answer counts once the question was visible long enough and no input was pending`() {
        var guarded = asking()
        guarded.settle(at: after(499), isInputPending: false)
        #expect(guarded.settlesAt == after(500))
        guarded.settle(at: after(520), isInputPending: true)
        #expect(guarded.settlesAt == after(1020), "what is pending may have been typed too early")
        guarded.settle(at: after(1020), isInputPending: false)
        let first = guarded.admits(.answers, at: after(1021))
        let second = guarded.admits(.answers, at: after(1022))
        #expect(first && second && guarded.settlesAt == nil)
    }

    @Test func `A question that is long in coming is not answered before it is drawn`() {
        var guarded = AnswerGuard<String>()
        guarded.follow("remove?")
        let early = [KeyEffect.answers, .types].map { guarded.admits($0, at: after(5000)) }
        #expect(early == [false, false] && guarded.settlesAt == nil)
        guarded.settle(at: after(6000), isInputPending: false)
        let still = guarded.admits(.answers, at: after(6001))
        #expect(!still)
    }

    @Test func `Another question in the same place is waited for again, and the same one is not`() {
        var guarded = asking()
        guarded.settle(at: after(500), isInputPending: false)
        guarded.follow("remove?")
        guarded.drawn(at: after(600))
        let same = guarded.admits(.answers, at: after(601))
        guarded.follow("remove another?")
        let other = guarded.admits(.answers, at: after(602))
        guarded.follow(nil)
        let none = guarded.admits(.answers, at: after(603))
        #expect(same && !other && none)
    }

    @Test func `A text can be typed once its line is drawn, and sent only later`() {
        var guarded = asking()
        let typed = guarded.admits(.types, at: after(1))
        let sent = guarded.admits(.answers, at: after(2))
        #expect(typed && !sent)
    }

    @Test func `What answers nothing is always heard, and does not prolong the wait`() {
        var guarded = AnswerGuard<String>()
        guarded.follow("remove?")
        let before = guarded.admits(.other, at: start)
        guarded.drawn(at: start)
        let then = guarded.admits(.other, at: after(300))
        #expect(before && then && guarded.settlesAt == after(500))
    }
}
