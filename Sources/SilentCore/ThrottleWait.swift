import FoundationEssentials
import TokenCache

/// How long a request is not repeated while its provider is throttling or down. The wait grows with the failures in a
/// row and is spread at random (full jitter): otherwise all clients of a provider that was down return in one second,
/// again and again.
enum ThrottleWait {
    /// Seconds of the longest first wait, so that the average is a minute, MSAL's constant value.
    private static let first = 120.0
    /// Seconds that a growing wait, and one that the provider asked for, have at most.
    private static let longest = 3600.0
    /// Seconds that are added at most to the time that the provider asked for.
    private static let longestSpread = ThrottleEntry.longest(.wait) - longest
    private static let shortest = 1.0

    /// - Parameters:
    ///   - retryAfter: the provider's time in seconds, which is waited for at least.
    ///   - failures: in a row, with this one; from one on.
    ///   - jitter: from zero up to one.
    static func seconds(_ retryAfter: Int?, failures: Int, jitter: Double) -> TimeInterval {
        let jitter = min(max(jitter, 0), 1)
        guard let retryAfter else {
            let doublings = min(max(failures, 1) - 1, mostDoublings)
            return max(shortest, jitter * min(first * Double(1 << doublings), longest))
        }
        let asked = min(Double(retryAfter), longest)
        return asked + jitter * min(asked, longestSpread)
    }

    /// Beyond ``longest``.
    private static let mostDoublings = 10
}
