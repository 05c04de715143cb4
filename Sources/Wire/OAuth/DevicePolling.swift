package import Identity

/// Whether and when to poll again (RFC 8628 section 3.5): a state machine with the time as input.
package struct DevicePolling: Sendable {
    /// What to do next. `granted`, `refused`, `expired` and `failed` are the end: no polls afterwards.
    package enum Action: Sendable {
        case granted(TokenGrant)
        case wait(Duration, DevicePoll.Answer)
        case refused(OAuthError)
        case expired
        case failed(WireError)
    }

    /// Seconds between polls; grows by five with each `slow_down`, for good.
    package private(set) var interval: Int
    private let deadline: Duration
    private let lifetime: Int
    private var unreachable = 0

    /// - Parameter now: time since the machine started, sleep included, so that a suspended laptop does not poll for
    ///   ever.
    package init(interval: Int, expiresIn: Int, now: Duration) {
        self.interval = interval
        lifetime = expiresIn
        deadline = now + .seconds(expiresIn)
    }

    /// The pause before the first poll: the interval, but for a code that does not live so long one poll shortly before
    /// its end.
    package var first: Duration { .seconds(min(interval, max(1, lifetime - Self.margin))) }

    /// Seconds before the end of a code that its last poll is sent, so that the answer still comes in time.
    private static let margin = 5

    /// What to do after a poll was answered, or not answered.
    package mutating func next(after answer: Result<TokenAnswer, WireError>, now: Duration) -> Action {
        switch answer {
        case .success(.granted(let grant)): return .granted(grant)
        case .success(.refused(let error)):
            unreachable = 0
            switch error.error {
            case "authorization_pending": return wait(.pending, now)
            case "slow_down":
                interval += 5
                return wait(.slowDown, now)
            case "expired_token", "code_expired": return .expired
            default: return .refused(error)
            }
        case .failure(let error):
            guard error.mayPass else { return .failed(error) }
            if case .throttled(_, let seconds) = error { interval = max(interval, min(seconds ?? interval * 2, 60)) }
            // RFC 8628 section 3.5: exponentially more slowly while nobody answers, but no more than a minute.
            unreachable += 1
            return wait(.unreachable, now, factor: 1 << min(unreachable, 4))
        }
    }

    private func wait(_ why: DevicePoll.Answer, _ now: Duration, factor: Int = 1) -> Action {
        let least = Duration.seconds(interval)
        let slow = Duration.seconds(factor == 1 ? interval : max(interval, min(interval * factor, 60)))
        // A last poll just before the end is worth more than a long pause; one after it would be in vain.
        let pause = max(least, min(slow, deadline - now))
        return now + pause > deadline ? .expired : .wait(pause, why)
    }
}
