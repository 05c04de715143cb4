import FoundationEssentials

/// The sandbox's clock: the machine's, and the seconds by which tests have advanced it.
struct SandboxClock: Sendable {
    /// A century either way is more than any test needs, and keeps all sums far from the edge.
    static let limit = 3_155_760_000

    private(set) var ahead = 0

    /// Seconds since 1970.
    var now: Int { Int(preciseNow) }
    var preciseNow: Double { Date().timeIntervalSince1970 + Double(ahead) }
    var date: Date { Date(timeIntervalSince1970: preciseNow) }

    /// - Parameter seconds: nil, and what leads beyond ``limit``, is refused.
    mutating func advance(by seconds: Int?) throws(OAuthErrorResponse) {
        guard let seconds else { throw OAuthErrorResponse("invalid_request", "advance is a number of seconds") }
        let (sum, overflow) = ahead.addingReportingOverflow(seconds)
        guard !overflow, abs(sum) <= SandboxClock.limit else {
            throw OAuthErrorResponse("invalid_request", "that is too far away")
        }
        ahead = sum
    }
}
