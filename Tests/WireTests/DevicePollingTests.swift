import Identity
import Testing

@testable import Wire

/// The clock is moved by hand: nothing here waits.
@Suite struct DevicePollingTests {
    private static func refused(_ name: String) -> Result<TokenAnswer, WireError> {
        .success(.refused(OAuthError(error: name)))
    }
    private static let pending = refused("authorization_pending")
    private static let lost = Result<TokenAnswer, WireError>.failure(.timedOut(host: "id.example.org"))

    private static func pause(_ action: DevicePolling.Action) -> Int? {
        if case .wait(let pause, _) = action { return Int(pause.components.seconds) }
        return nil
    }

    private static func isExpired(_ action: DevicePolling.Action) -> Bool {
        if case .expired = action { return true }
        return false
    }

    @Test func `The first poll and each that follows wait the whole interval`() {
        var polling = DevicePolling(interval: 7, expiresIn: 900, now: .seconds(1000))
        #expect(polling.first == .seconds(7))
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(1007))) == 7)
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(1014))) == 7)
    }

    @Test(arguments: [(600, 60, 55), (60, 60, 55), (5, 5, 1), (30, 3, 1), (5, 900, 5)])
    func `A code that lives no longer than the interval is asked for once, before its end`(
        interval: Int, expiresIn: Int, first: Int
    ) {
        var polling = DevicePolling(interval: interval, expiresIn: expiresIn, now: .seconds(1000))
        #expect(polling.first == .seconds(first))
        let next = polling.next(after: Self.pending, now: .seconds(1000 + first))
        #expect(Self.isExpired(next) || first + (Self.pause(next) ?? 0) <= expiresIn)
    }

    @Test func `Slow_down adds five seconds for this and all later polls`() {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        #expect(Self.pause(polling.next(after: Self.refused("slow_down"), now: .seconds(5))) == 10)
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(15))) == 10)
        #expect(Self.pause(polling.next(after: Self.refused("slow_down"), now: .seconds(25))) == 15)
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(40))) == 15)
    }

    @Test func `A provider that is not reached is polled ever more slowly, at most each minute, and then as before`() {
        var polling = DevicePolling(interval: 5, expiresIn: 3600, now: .zero)
        #expect(
            (1...6).map { Self.pause(polling.next(after: Self.lost, now: .seconds($0))) } == [10, 20, 40, 60, 60, 60])
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(60))) == 5)
        #expect(Self.pause(polling.next(after: Self.lost, now: .seconds(65))) == 10)
    }

    @Test(arguments: [
        "access_denied", "authorization_declined", "bad_verification_code", "invalid_grant", "something_new",
    ])
    func `Any other error ends it`(name: String) {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        guard case .refused(let error) = polling.next(after: Self.refused(name), now: .seconds(5)) else {
            Issue.record("it went on")
            return
        }
        #expect(error.error == name)
    }

    @Test(arguments: ["expired_token", "code_expired"]) func `The provider says when the code is over`(name: String) {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        #expect(Self.isExpired(polling.next(after: Self.refused(name), now: .seconds(5))))
    }

    @Test func `Pending for ever ends with the code's life`() {
        var polling = DevicePolling(interval: 5, expiresIn: 60, now: .seconds(100))
        var now = Duration.seconds(105)
        var polls = 0
        while case .wait(let pause, _) = polling.next(after: Self.pending, now: now) {
            now += pause
            polls += 1
        }
        #expect(polls == 11)
        #expect(now == .seconds(160))
    }

    @Test func `A machine that slept past the end stops at its first poll`() {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        #expect(Self.isExpired(polling.next(after: Self.pending, now: .seconds(36_000))))
    }

    @Test func `A long pause is followed by one poll, not by all that were missed`() {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        #expect(Self.pause(polling.next(after: Self.pending, now: .seconds(605))) == 5)
    }

    @Test func `While nobody answers, the last poll goes out before the end, not after it`() {
        var polling = DevicePolling(interval: 5, expiresIn: 60, now: .zero)
        for _ in 0..<3 { _ = polling.next(after: Self.lost, now: .seconds(10)) }
        #expect(Self.pause(polling.next(after: Self.lost, now: .seconds(40))) == 20)
        #expect(Self.isExpired(polling.next(after: Self.lost, now: .seconds(58))))
    }

    @Test func `Failures of the provider are waited out, failures of trust are not`() {
        var polling = DevicePolling(interval: 5, expiresIn: 900, now: .zero)
        #expect(
            Self.pause(polling.next(after: .failure(.serverFailure(host: "h", status: 500)), now: .seconds(5))) == 10)
        #expect(
            Self.pause(polling.next(after: .failure(.throttled(host: "h", retryAfter: 30)), now: .seconds(15))) ?? 0
                >= 30)
        guard case .failed = polling.next(after: .failure(.tls(host: "h", .handshake)), now: .seconds(50)) else {
            Issue.record("it went on")
            return
        }
    }

    @Test func `No Retry-After holds a poll for more than a minute at first`() {
        var polling = DevicePolling(interval: 5, expiresIn: 9000, now: .zero)
        #expect(
            Self.pause(polling.next(after: .failure(.throttled(host: "h", retryAfter: 3600)), now: .seconds(5))) == 60)
    }
}
