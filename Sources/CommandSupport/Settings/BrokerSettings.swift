import Identity
package import SilentFirst
import Synchronization

extension SettingsSection {
    func brokerUse() throws(Failure) -> BrokerUse {
        guard let section = try section("broker", write: "[broker] and use = \"device\"") else { return .never }
        try section.refuseUnknown(SettingsTable.broker)
        return try section.word("use", "broker use", write: "use = \"never\", \"device\" or \"always\"") ?? .never
    }
}

/// The connection to the session's broker. The full program sets it; the fast path has none.
package enum BrokerAccess {
    package typealias BrokerFactory = @Sendable (ProcessEnvironment) -> TokenBroker?

    private static let maker = Mutex<BrokerFactory?>(nil)

    package static func use(_ new: @escaping BrokerFactory) { maker.withLock { $0 = new } }

    package static func broker(_ environment: ProcessEnvironment) -> TokenBroker? {
        maker.withLock { $0 }?(environment)
    }
}
