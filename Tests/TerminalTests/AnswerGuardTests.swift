import Keys
import Testing

@testable import Terminal

/// The guard as a reference, so that expectations can ask it.
private final class Guarded {
    private var held = AnswerGuard()
    func ask() { held.ask() }
    func lift() { held.lift() }
    func drawn(at now: ContinuousClock.Instant) { held.drawn(at: now) }
    func admits(_ key: Key, at now: ContinuousClock.Instant) -> Bool { held.admits(key, at: now) }
}

@Suite struct AnswerGuardTests {
    private let start = ContinuousClock.now
    private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    @Test
    func `A key three milliseconds after the question does not answer it; one that comes when it could be seen does`() {
        let guarded = Guarded()
        #expect(guarded.admits(.character("x"), at: start))
        guarded.ask()
        #expect(!guarded.admits(.character("y"), at: after(1)))
        guarded.drawn(at: after(2))
        #expect(!guarded.admits(.character("y"), at: after(5)))
        #expect(!guarded.admits(.enter, at: after(200)))
        // Whoever is still typing has not looked up yet.
        #expect(!guarded.admits(.character("y"), at: after(300)))
        #expect(guarded.admits(.character("y"), at: after(560)))
        #expect(guarded.admits(.character("y"), at: after(561)))
    }

    @Test func `A question that is long in coming is not answered before it is drawn`() {
        let guarded = Guarded()
        guarded.ask()
        #expect(!guarded.admits(.character("y"), at: after(5000)))
        guarded.drawn(at: after(5001))
        #expect(!guarded.admits(.character("y"), at: after(5100)))
        #expect(guarded.admits(.character("y"), at: after(5400)))
        guarded.ask()
        guarded.lift()
        #expect(guarded.admits(.character("j"), at: after(5402)))
        // Only the picture with the question counts.
        guarded.drawn(at: after(5401))
        #expect(guarded.admits(.character("y"), at: after(5402)))
    }

    @Test(arguments: [Key.escape, .control("c"), .control("l"), .function(1)])
    func `What answers nothing is always heard`(key: Key) {
        let guarded = Guarded()
        guarded.ask()
        #expect(guarded.admits(key, at: start))
        guarded.drawn(at: start)
        #expect(guarded.admits(key, at: start))
        #expect(!guarded.admits(.character("y"), at: after(249)))
        #expect(guarded.admits(.character("y"), at: after(500)))
    }
}
