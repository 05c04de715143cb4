/// How the tests wait: for an event, with an end that is far away, and never for a time. What a test claims about time
/// it shows with a clock of its own, or as a count; what only a measurement can show is in `Tests/benchmarks`.
package enum Waiting {
    /// Seconds after which a wait is given up. They only guard against a hang, and suffice on a machine that is busy
    /// with other work.
    package static let seconds = 300
    /// The same, for what takes a duration.
    package static let end = Duration.seconds(seconds)
    /// The time limit of a test that could hang: longer than any wait in it.
    package static let minutes = 10
}

/// Asks until it is so.
///
/// - Returns: false if it is not so in the end, or the task was cancelled.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + Waiting.end
    while try await !isSo() {
        guard .now < end, !Task.isCancelled else { return false }
        // Leaves the processor to what is waited for.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
