package import Identity
package import SilentFirst
import Synchronization
package import TOMLKit

extension SettingsReader {
    /// `[broker]`.
    package func brokerUse(_ table: TOMLTable) throws(Failure) -> BrokerUse {
        guard let value = table["broker"] else { return .never }
        guard let table = value.table else {
            throw wrong(
                line: line(of: "broker", in: nil), "broker is not a table", write: "[broker] and use = \"device\"")
        }
        try refuseUnknown(in: table, known: SettingsTable.names(SettingsTable.broker), at: "broker")
        guard let word = try string("use", in: table, at: "broker") else { return .never }
        guard let use = BrokerUse(rawValue: word) else {
            throw wrong(
                line: line(of: "use", in: "broker"), "\"\(word)\" is no use of a broker",
                write: "use = \"never\", \"device\" or \"always\"")
        }
        return use
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
