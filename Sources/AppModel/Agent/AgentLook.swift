import FoundationEssentials

/// Looks at the agent at intervals, one at a time.
struct AgentLook: Equatable, Sendable {
    private(set) var request: RequestID
    private let startedAt: Date
    private(set) var isWaiting = true

    /// Seconds between two looks.
    private static let interval: TimeInterval = 2

    /// Perform ``effect`` right after.
    init(in context: Context) { (request, startedAt) = (context.nextRequest, context.now) }

    var effect: Effect { .lookAtAgent(request) }

    /// - Returns: the next look if it is due.
    mutating func receive(_ event: Event, in context: Context) -> Effect? {
        switch event {
        case .reply(.agent, let id), .reply(.ended, let id), .reply(.failed, let id):
            if id == request { isWaiting = false }
        case .tick where !isWaiting && context.now.timeIntervalSince(startedAt) >= Self.interval:
            self = AgentLook(in: context)
            return effect
        default: break
        }
        return nil
    }
}
