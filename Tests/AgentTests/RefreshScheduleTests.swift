import CommandSupport
import Foundation
import Identity
import Testing

@testable import Agent

@Suite struct RefreshScheduleTests {
    private typealias Schedule = RefreshSchedule<String>
    private static let start = ClockReadings(
        boot: .seconds(1000), awake: .seconds(900), wall: Date(timeIntervalSince1970: 1_800_000_000))

    /// Seconds after the start; asleep and set forward as told.
    private func after(_ seconds: Double, asleep: Double = 0, set: Double = 0) -> ClockReadings {
        ClockReadings(
            boot: Self.start.boot + .seconds(seconds), awake: Self.start.awake + .seconds(seconds - asleep),
            wall: Self.start.wall.addingTimeInterval(seconds + set))
    }

    private func life(_ seconds: Double, refresh: Double? = nil, since issued: Date = start.wall) -> TokenLifetime {
        TokenLifetime(
            issued: issued, expires: issued.addingTimeInterval(seconds),
            refresh: refresh.map { issued.addingTimeInterval($0) })
    }

    private func schedule(_ lives: [(String, String, TokenLifetime)], random: Double = 0.5) -> RefreshSchedule<String> {
        var schedule = Schedule()
        for (item, provider, life) in lives { schedule.asked(item, of: provider, life, random: random, at: Self.start) }
        return schedule
    }

    @Test(
        arguments: [
            (3600.0, nil, 0.5, 2880.0), (3600, nil, 0, 2592), (3600, nil, 1, 3168), (3600, 1800, 0.5, 2880),
            (3600, 3300, 0.5, 3300), (3600, 3300, 1, 3420), (86_400, nil, 0.5, 69_120), (1, nil, 0.5, 2),
        ] as [(Double, Double?, Double, Double)])
    func `A token is due at four fifths of its life or refresh_in, the later one, with jitter`(
        length: Double, refresh: Double?, random: Double, due: Double
    ) {
        var schedule = schedule([("a", "p", life(length, refresh: refresh))], random: random)
        guard case .wait(let until?) = schedule.next(at: Self.start) else {
            Issue.record("nothing to wait for")
            return
        }
        #expect(abs((until - Self.start.boot) / .seconds(1) - due) < 0.01)
    }

    @Test func `A token without an announced end is looked at again within a month, not in thousands of years`() {
        var schedule = Schedule()
        schedule.asked(
            "a", of: "p", TokenLifetime(issued: Self.start.wall, expires: .noAnnouncedEnd), isLasting: true,
            random: 0.5, at: Self.start)
        #expect(schedule.next(at: Self.start) == .wait(until: Self.start.boot + .seconds(30 * 86_400)))
    }

    @Test func `It is refreshed when it is due, once, and again when the next one is`() {
        var schedule = schedule([("a", "p", life(3600))])
        #expect(schedule.next(at: after(2879)) == .wait(until: Self.start.boot + .seconds(2880)))
        #expect(schedule.next(at: after(2880)) == .refresh(["a"]))
        #expect(schedule.next(at: after(2881)) == .wait(until: nil))
        let now = after(2890)
        schedule.ended("a", .renewed(life(3600, since: now.wall)), random: 0.5, at: now)
        #expect(schedule.next(at: now) == .wait(until: now.boot + .seconds(2880)))
    }

    @Test func `What lasts is never forgotten, however often it fails`() {
        var schedule = Schedule()
        schedule.asked("a", of: "p", life(12), random: 0.5, at: Self.start)
        schedule.asked("b", of: "q", life(12), isLasting: true, random: 0.5, at: Self.start)
        for hours in 1..<100 {
            let now = after(Double(hours) * 3600)
            _ = schedule.next(at: now)
            schedule.ended("b", .failed(notBefore: nil), random: 0.5, at: now)
        }
        #expect(!schedule.knows("a") && schedule.knows("b"))
        schedule.ended("b", .over, random: 0.5, at: after(360_000))
        #expect(!schedule.knows("b"))
    }

    @Test func `One refresh at a time goes to a provider, and others do not wait for it`() {
        var schedule = schedule([("a", "p", life(100)), ("b", "p", life(101)), ("c", "q", life(102))])
        #expect(schedule.next(at: after(90)) == .refresh(["a", "c"]))
        #expect(schedule.next(at: after(91)) == .wait(until: nil))
        schedule.ended("a", .over, random: 0.5, at: after(92))
        #expect(schedule.next(at: after(92)) == .refresh(["b"]))
    }

    @Test func `What nobody has asked for in eight hours or eight lives is left alone`() {
        var schedule = schedule([("hour", "p", life(3600)), ("minute", "q", life(60))])
        #expect(schedule.next(at: after(481)) == .wait(until: Self.start.boot + .seconds(2880)))
        #expect(schedule.next(at: after(8 * 3600 + 1)) == .wait(until: nil))
    }

    @Test func `A failure is tried again, later each time, and not before the provider allows it`() {
        var schedule = schedule([("b", "p", life(1000))])
        var time = 800.0
        for wanted in [60.0, 120, 240, 480, 900, 900] {
            #expect(schedule.next(at: after(time)) == .refresh(["b"]))
            schedule.ended("b", .failed(notBefore: nil), random: 0.5, at: after(time))
            #expect(schedule.next(at: after(time)) == .wait(until: after(time + wanted).boot))
            time += wanted
        }
        #expect(schedule.next(at: after(time)) == .refresh(["b"]))
        let named = after(time + 1800).wall
        schedule.ended("b", .failed(notBefore: named), random: 0.5, at: after(time))
        #expect(schedule.next(at: after(time)) == .wait(until: after(time + 1800).boot))
    }

    @Test func `Nothing is sent within seconds after waking, and what came due asleep is sent then`() {
        var schedule = schedule([("a", "p", life(3600))])
        #expect(schedule.next(at: after(10)) == .wait(until: Self.start.boot + .seconds(2880)))
        let woken = after(3500, asleep: 3400)
        #expect(schedule.next(at: woken) == .wait(until: woken.boot + .seconds(5)))
        #expect(schedule.next(at: after(3505, asleep: 3400)) == .refresh(["a"]))
    }

    @Test(arguments: [86_400.0, -86_400, 60, -60])
    func `When the wall clock is set, the store is looked at again`(by seconds: Double) {
        var schedule = schedule([("a", "p", life(3600))])
        #expect(schedule.next(at: after(10)) == .wait(until: Self.start.boot + .seconds(2880)))
        #expect(schedule.next(at: after(11, set: seconds)) == .refresh(["a"]))
        // It was found fresh; a date that is wrong by a day makes nobody wait for longer than its life.
        schedule.ended("a", .renewed(life(3600)), random: 0.5, at: after(12, set: seconds))
        guard case .wait(let until?) = schedule.next(at: after(12, set: seconds)) else {
            Issue.record("nothing to wait for")
            return
        }
        #expect(until - after(12).boot <= .seconds(3600))
    }

    @Test func `Asking again while it runs does not begin another one`() {
        var schedule = schedule([("a", "p", life(100))])
        #expect(schedule.next(at: after(90)) == .refresh(["a"]))
        schedule.asked("a", of: "p", life(100), random: 0.5, at: after(91))
        #expect(schedule.next(at: after(200)) == .wait(until: nil))
    }

    @Test func `Of too many the one that was asked for longest ago is forgotten`() {
        var schedule = Schedule()
        for number in 0...Schedule.mostItems {
            schedule.asked(
                "\(number)", of: "p", life(3600), random: 0.5, at: after(Double(number) / 1000))
        }
        let items = schedule.upcoming(at: Self.start).map(\.item)
        #expect(items.count == Schedule.mostItems && !items.contains("0"))
    }

    @Test func `Nothing is begun right after the network changed, and what failed is tried again then`() {
        var schedule = schedule([("a", "p", life(100)), ("b", "q", life(1000))])
        #expect(schedule.next(at: after(80)) == .refresh(["a"]))
        schedule.ended("a", .failed(notBefore: nil), random: 0.5, at: after(81))
        #expect(schedule.next(at: after(82)) == .wait(until: Self.start.boot + .seconds(141)))
        schedule.networkHasChanged(at: after(90))
        #expect(schedule.next(at: after(91)) == .wait(until: Self.start.boot + .seconds(95)))
        // One that changes all the time is no reason to wait all the time.
        schedule.networkHasChanged(at: after(94))
        #expect(schedule.next(at: after(95)) == .refresh(["a"]))
    }

    @Test func `What a provider asked to wait for is waited for, whatever the network does`() {
        var schedule = schedule([("a", "p", life(100))])
        #expect(schedule.next(at: after(80)) == .refresh(["a"]))
        schedule.ended("a", .failed(notBefore: after(400).wall), random: 0.5, at: after(81))
        schedule.networkHasChanged(at: after(90))
        schedule.storeHasChanged(of: { _ in true }, at: after(96))
        #expect(schedule.next(at: after(97)) == .wait(until: Self.start.boot + .seconds(400)))
    }

    @Test func `Nothing is begun before the machine sleeps, nor right after it woke`() {
        var schedule = schedule([("a", "p", life(100))])
        schedule.sleepIsNear(true, at: after(79))
        #expect(schedule.next(at: after(80)) == .wait(until: nil))
        schedule.sleepIsNear(false, at: after(90))
        #expect(schedule.next(at: after(91)) == .wait(until: Self.start.boot + .seconds(95)))
        #expect(schedule.next(at: after(95)) == .refresh(["a"]))
    }

    @Test func `What another process has changed is looked at, and nothing else`() {
        var schedule = schedule([("a", "p", life(100)), ("b", "q", life(100))])
        schedule.storeHasChanged(of: { $0 == "b" }, at: after(10))
        #expect(schedule.next(at: after(10)) == .refresh(["b"]))
        schedule.ended("b", .renewed(life(100)), random: 0.5, at: after(11))
        #expect(schedule.next(at: after(11)) == .wait(until: Self.start.boot + .seconds(80)))
    }
    @Test func `What changed while a look was under way is looked at again when that has ended`() {
        var schedule = schedule([("a", "p", life(100))])
        #expect(schedule.next(at: after(80)) == .refresh(["a"]))
        schedule.storeHasChanged(of: { _ in true }, at: after(81))
        schedule.ended("a", .renewed(life(3600)), random: 0.5, at: after(82))
        #expect(schedule.next(at: after(82)) == .refresh(["a"]))
        schedule.ended("a", .renewed(life(3600)), random: 0.5, at: after(83))
        #expect(schedule.next(at: after(84)) != .refresh(["a"]))
    }
}
