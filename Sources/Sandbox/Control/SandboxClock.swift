import FoundationEssentials

struct SandboxClock: Sendable {
    /// Within a century, sums cannot overflow.
    static let limit = 3_155_760_000

    private(set) var ahead = 0

    /// Seconds since 1970.
    var now: Int { Int(preciseNow) }
    var preciseNow: Double { Date().timeIntervalSince1970 + Double(ahead) }
    var date: Date { Date(timeIntervalSince1970: preciseNow) }

    /// - Parameter seconds: nil and values beyond ``limit`` are rejected.
    mutating func advance(by seconds: Int?) throws(OAuthErrorResponse) {
        guard let seconds else { throw OAuthErrorResponse("invalid_request", "advance is a number of seconds") }
        let (sum, overflow) = ahead.addingReportingOverflow(seconds)
        guard !overflow, abs(sum) <= SandboxClock.limit else {
            throw OAuthErrorResponse("invalid_request", "that is too far away")
        }
        ahead = sum
    }
}
