import FoundationEssentials

struct FaultScript: Sendable {
    static let limit = 256

    private(set) var faults: [Fault] = []
    /// A response that is held is sent when this has changed.
    private(set) var releases = 0

    var quirks: Quirks { Quirks(faults.compactMap { if case .quirk(let quirk) = $0.kind { quirk } else { nil } }) }

    mutating func add(_ more: [Fault]) { faults += more }
    mutating func release() { releases += 1 }

    /// Also releases what is held.
    mutating func clear() {
        faults = []
        release()
    }

    /// Takes the first matching fault and counts its use.
    ///
    /// - Returns: the fault, and a response that replaces the endpoint's own, if any.
    mutating func take(
        _ names: [String], user: String?, client: String?, tenant: String?, clock: SandboxClock,
        log requests: inout RequestLog
    ) -> (fault: Fault, answer: SandboxResponse?)? {
        dropOverThrottles(at: clock.now)
        guard let place = faults.firstIndex(where: { $0.fits(names, user: user, client: client, tenant: tenant) })
        else { return nil }
        if let answer = throttled(place, clock: clock, log: &requests) { return (faults[place], answer) }
        let fault = faults[place]
        if let times = fault.times { faults[place].times = times - 1 }
        if faults[place].times == 0 { faults.remove(at: place) }
        return (fault, fault.replacement)
    }

    /// Rejects requests until the wait, which starts with the first request, has passed; then the fault ends.
    ///
    /// `throttled` counts the rejected requests, `throttled:early` those that were sent before the end of the wait.
    private mutating func throttled(_ place: Int, clock: SandboxClock, log requests: inout RequestLog)
        -> SandboxResponse?
    {
        guard case .throttle(var throttle) = faults[place].kind else { return nil }
        requests.count("throttled")
        if throttle.until != nil { requests.count("throttled:early") }
        let now = clock.now
        let until = throttle.until ?? now + throttle.seconds
        throttle.until = until
        faults[place].kind = .throttle(throttle)
        var answer = SandboxResponse.json(
            .members([
                "error": "temporarily_unavailable", "error_description": "Too many requests. Wait, and try again.",
            ]), status: 429)
        // The server dates all responses by the machine's clock, and clients subtract that from this date.
        answer.headers.append(("Date", Fault.RateLimit.httpDate(now - clock.ahead)))
        answer.headers.append(
            (
                "Retry-After",
                throttle.asDate ? Fault.RateLimit.httpDate(until - clock.ahead) : String(max(until - now, 0))
            ))
        return answer
    }

    private mutating func dropOverThrottles(at now: Int) {
        faults.removeAll {
            if case .throttle(let throttle) = $0.kind, let until = throttle.until { until <= now } else { false }
        }
    }
}

/// Throttling: status 429 with an enforced wait.
extension Fault {
    /// The wait in seconds and its form (RFC 9110 section 10.2.3).
    package struct RateLimit: Sendable, Equatable {
        package var seconds: Int
        package var asDate: Bool
        /// By the sandbox's clock; nil before the first request.
        var until: Int?

        package init(seconds: Int, asDate: Bool = false) {
            self.seconds = min(max(seconds, 0), 86400)
            self.asDate = asDate
        }

        /// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
        static func httpDate(_ seconds: Int) -> String {
            // 2026-11-21T04:00:00Z; 1 January 1970 was a Thursday.
            let iso = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
            let parts = iso.split { $0 == "-" || $0 == "T" || $0 == "Z" }
            let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return iso }
            let day = ((seconds - (seconds % 86400 + 86400) % 86400) / 86400 % 7 + 7) % 7
            return "\(days[day]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
        }
    }

    package static func throttle(
        seconds: Int, asDate: Bool = false, endpoint: String = "token", user: String? = nil, client: String? = nil
    ) -> Fault {
        Fault(.throttle(RateLimit(seconds: seconds, asDate: asDate)), endpoint: endpoint, user: user, client: client)
    }
}
