package import Bus

/// The broker of the session. Starts no program.
package struct BrokerPresence: Sendable {
    package let isEnabled: Bool
    package let isOwnRunning: Bool
    /// Another program that is the broker or would be started as one, as text.
    package let other: String?

    package init(_ bus: MessageBus, _ file: BrokerServiceFile) {
        isEnabled = file.isThere
        let owner = bus.owner(of: BrokerInterface.name)
        isOwnRunning = owner != nil && owner == bus.owner(of: BrokerInterface.ownName)
        if let owner, !isOwnRunning {
            other = bus.process(of: owner).map { BrokerCaller(pid: $0.pid, uid: $0.uid).words } ?? "a program"
        } else if let path = file.other {
            other = path
        } else if owner == nil, !isEnabled, bus.isActivatable(BrokerInterface.name) {
            other = "a D-Bus-activated program"
        } else {
            other = nil
        }
    }

    package var words: String {
        if let other { return "the broker of this session is \(other)" }
        if isOwnRunning { return "foyer is the broker of this session" }
        return isEnabled
            ? "foyer is the broker of this session, started on first use" : "this session has no broker"
    }
}
