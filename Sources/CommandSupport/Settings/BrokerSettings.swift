import Identity
package import SilentFirst
import Synchronization

extension SettingsSection {
    /// `[broker]`.
    func brokerUse() throws(Failure) -> BrokerUse {
        guard let section = try section("broker", write: "[broker] and use = \"device\"") else { return .never }
        try section.refuseUnknown(SettingsTable.broker)
        return try section.word("use", "use of a broker", write: "use = \"never\", \"device\" or \"always\"") ?? .never
    }
}

/// How the broker of the session is reached: set by the program that has the means, which the fast path has not.
package enum BrokerAccess {
    package typealias Maker = @Sendable (ProcessEnvironment) -> TokenBroker?

    private static let maker = Mutex<Maker?>(nil)

    package static func use(_ new: @escaping Maker) { maker.withLock { $0 = new } }

    /// Nil where this program cannot ask one.
    package static func broker(_ environment: ProcessEnvironment) -> TokenBroker? {
        maker.withLock { $0 }?(environment)
    }
}
