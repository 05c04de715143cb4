package import Identity

/// Decides when to poll again (RFC 8628 section 3.5); the time is an input.
package struct DevicePolling: Sendable {
    /// All actions except `wait` are final.
    package enum Action: Sendable {
        case granted(TokenGrant)
        case wait(Duration, DevicePoll.Answer)
        case refused(OAuthError)
        case expired
        case failed(WireError)
    }

    /// Seconds between polls; each `slow_down` adds five permanently.
    package private(set) var interval: Int
    private let deadline: Duration
    private let lifetime: Int
    private var unreachable = 0

    /// - Parameter now: time since the machine started, sleep included, so a suspended laptop does not poll forever.
    package init(interval: Int, expiresIn: Int, now: Duration) {
        self.interval = interval
        lifetime = expiresIn
        deadline = now + .seconds(expiresIn)
    }

    /// The pause before the first poll. A code that expires before the interval ends gets one poll shortly before.
    package var first: Duration { .seconds(min(interval, max(1, lifetime - Self.margin))) }

    /// Seconds between the last poll and the code's expiry, so the response arrives in time.
    private static let margin = 5

    package mutating func next(after answer: Result<TokenAnswer, WireError>, now: Duration) -> Action {
        switch answer {
        case .success(.granted(let grant)): return .granted(grant)
        case .success(.refused(let error)):
            unreachable = 0
            switch error.error {
            case "authorization_pending": return wait(.pending, now)
            case "slow_down":
                // GitHub also says the new interval.
                interval = max(interval + 5, error.interval ?? 0)
                return wait(.slowDown, now)
            case "expired_token", "code_expired": return .expired
            default: return .refused(error)
            }
        case .failure(let error):
            guard error.mayPass else { return .failed(error) }
            if case .throttled(_, let seconds) = error { interval = max(interval, min(seconds ?? interval * 2, 60)) }
            // RFC 8628 section 3.5: exponential backoff while unreachable, up to a minute.
            unreachable += 1
            return wait(.unreachable, now, factor: 1 << min(unreachable, 4))
        }
    }

    private func wait(_ why: DevicePoll.Answer, _ now: Duration, factor: Int = 1) -> Action {
        let least = Duration.seconds(interval)
        let slow = Duration.seconds(factor == 1 ? interval : max(interval, min(interval * factor, 60)))
        // A last poll just before expiry is better than a long pause; one after it is useless.
        let pause = max(least, min(slow, deadline - now))
        return now + pause > deadline ? .expired : .wait(pause, why)
    }
}
