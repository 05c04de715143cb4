/// `lock_on` and `lock_after` of `[agent]`: when the agent locks itself.
package struct AgentLockSettings: Equatable, Sendable {
    package enum Occasion: String, CaseIterable, Sendable {
        /// The machine is about to sleep.
        case sleep
        /// The screen of one of the person's sessions is locked.
        case screen
    }

    package var occasions: Set<Occasion> = []
    /// Without any request for a token; nil for never.
    package var idleTime: Duration?
}
