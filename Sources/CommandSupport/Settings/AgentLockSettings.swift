/// `lock_on` and `lock_after` of `[agent]`: when the agent locks itself.
package struct AgentLockSettings: Equatable, Sendable {
    package enum LockTrigger: String, CaseIterable, Sendable {
        case sleep
        /// The screen of one of the user's sessions is locked.
        case screen
    }

    package var occasions: Set<LockTrigger> = []
    /// Time without token requests; nil for never.
    package var idleTime: Duration?
}
