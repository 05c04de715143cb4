import FoundationEssentials

/// A provider that has had enough: 429 with a time to wait, which it means.
extension Fault {
    /// Seconds by which a client must wait, and in which form it is told (RFC 9110 section 10.2.3).
    package struct Throttle: Sendable, Equatable {
        package var seconds: Int
        package var asDate: Bool
        /// By the sandbox's clock; nil until the first request comes.
        var until: Int?

        package init(seconds: Int, asDate: Bool = false) {
            self.seconds = min(max(seconds, 0), 86400)
            self.asDate = asDate
        }
    }

    package static func throttle(
        seconds: Int, asDate: Bool = false, endpoint: String = "token", user: String? = nil, client: String? = nil
    ) -> Fault {
        Fault(.throttle(Throttle(seconds: seconds, asDate: asDate)), endpoint: endpoint, user: user, client: client)
    }
}

extension ProviderState {
    /// Refuses during the wait, which begins with the first request; then the fault is gone.
    ///
    /// `throttled` counts the refused requests, `throttled:early` those that came although they had been told to wait.
    mutating func throttled(_ place: Int) -> Answer? {
        guard case .throttle(var throttle) = faults[place].kind else { return nil }
        requests["throttled", default: 0] += 1
        if throttle.until != nil { requests["throttled:early", default: 0] += 1 }
        let until = throttle.until ?? now + throttle.seconds
        throttle.until = until
        faults[place].kind = .throttle(throttle)
        var answer = Answer.json(
            .members([
                "error": "temporarily_unavailable", "error_description": "Too many requests. Wait, and try again.",
            ]), status: 429)
        // The server dates every answer by the machine's clock, so that this date, too, has to be told by it: a client
        // counts from one to the other.
        answer.headers.append(("Date", HTTPDate.text(now - clockAhead)))
        answer.headers.append(
            ("Retry-After", throttle.asDate ? HTTPDate.text(until - clockAhead) : String(max(until - now, 0))))
        return answer
    }

    mutating func dropOverThrottles() {
        let now = now
        faults.removeAll {
            if case .throttle(let throttle) = $0.kind, let until = throttle.until { until <= now } else { false }
        }
    }
}

/// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    static func text(_ seconds: Int) -> String {
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
