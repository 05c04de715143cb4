package import Bus

/// Who is the broker of the session. Starts nobody.
package struct BrokerPresence: Sendable {
    /// The service file of foyer's is there.
    package let isEnabled: Bool
    package let isOwnRunning: Bool
    /// Who else is the broker, or would be started as such, in words; nil when nobody is.
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
            other = "a program that the bus would start"
        } else {
            other = nil
        }
    }

    /// For a person.
    package var words: String {
        if let other { return "the broker of this session is \(other)" }
        if isOwnRunning { return "foyer is the broker of this session" }
        return isEnabled
            ? "foyer is the broker of this session, once a program asks for it" : "this session has no broker"
    }
}
