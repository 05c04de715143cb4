import Keys
import Terminal
import Testing

@Suite struct DoubleClickTests {
    private let start = ContinuousClock.now
    private let here = MouseEvent(.click, at: Position(row: 3, column: 4))

    @Test func `The second click on a cell within 400 ms is a double click, the third is a click`() {
        var clicks = DoubleClick()
        #expect(clicks.event(here, at: start) == here)
        let second = clicks.event(here, at: start + .milliseconds(399))
        #expect(second == MouseEvent(.doubleClick, at: here.place))
        #expect(clicks.event(here, at: start + .milliseconds(500)) == here)
    }

    @Test func `A click later or beside it is a click of its own`() {
        var clicks = DoubleClick()
        _ = clicks.event(here, at: start)
        #expect(clicks.event(here, at: start + .milliseconds(400)) == here)
        let beside = MouseEvent(.click, at: Position(row: 3, column: 5))
        #expect(clicks.event(beside, at: start + .milliseconds(410)) == beside)
        let wheel = MouseEvent(.wheelDown, at: here.place)
        #expect(clicks.event(wheel, at: start + .milliseconds(420)) == wheel)
    }

    @Test func `After a click that has done something the next one is the first again`() {
        var clicks = DoubleClick()
        _ = clicks.event(here, at: start)
        clicks.forget()
        #expect(clicks.event(here, at: start + .milliseconds(100)) == here)
    }
}
