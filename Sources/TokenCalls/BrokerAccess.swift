package import CommandSupport
package import SilentFirst
import Synchronization

/// The connection to the session's broker. Set at the start of the program.
package enum BrokerAccess {
    package typealias BrokerFactory = @Sendable (ProcessEnvironment) -> TokenBroker?

    private static let maker = Mutex<BrokerFactory?>(nil)

    package static func use(_ new: @escaping BrokerFactory) { maker.withLock { $0 = new } }

    package static func broker(_ environment: ProcessEnvironment) -> TokenBroker? {
        maker.withLock { $0 }?(environment)
    }
}
