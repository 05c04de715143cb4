package import Identity
import Synchronization

/// `[keys.PLACE]`, unchecked: only the program with the interface knows the places, commands and keys.
package struct KeySettings: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        package var name: String
        package var line: Int
        /// Nil if it is not a table.
        package var commands: [Binding]?
    }

    package struct Binding: Hashable, Sendable {
        package var name: String
        package var line: Int
        /// Key names; empty if the value is neither a string nor a list of strings.
        package var keys: [String]
    }

    package var places: [Place] = []
    package static let none = KeySettings()
}

/// The check of `[keys]`, set by the program with the interface. The fast path leaves settings with keys to it.
package enum KeyCheck {
    private static let check = Mutex<(@Sendable (KeySettings, String) throws(Failure) -> Void)?>(nil)

    /// - Parameter new: called with the path of the settings file.
    package static func use(_ new: @escaping @Sendable (KeySettings, String) throws(Failure) -> Void) {
        check.withLock { $0 = new }
    }

    package static func run(_ keys: KeySettings, of path: String) throws(Failure) {
        if keys != .none { try check.withLock({ $0 })?(keys, path) }
    }
}
