package import Identity
import Synchronization

/// `[keys.PLACE]` as it is written. Which places, commands and keys there are, the program with the screens knows.
package struct KeySettings: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        package var name: String
        package var line: Int
        /// Nil where it is no table.
        package var commands: [Binding]?
    }

    package struct Binding: Hashable, Sendable {
        package var name: String
        package var line: Int
        /// By their names; empty for what is neither a text nor a list of texts.
        package var keys: [String]
    }

    package var places: [Place] = []
    package static let none = KeySettings()
}

/// Whether `[keys]` is right: set by the program that has the screens. The fast path, which has not, leaves settings
/// with keys to it.
package enum KeyCheck {
    private static let check = Mutex<(@Sendable (KeySettings, String) throws(Failure) -> Void)?>(nil)

    /// - Parameter new: called with the path of the settings file, too.
    package static func use(_ new: @escaping @Sendable (KeySettings, String) throws(Failure) -> Void) {
        check.withLock { $0 = new }
    }

    package static func run(_ keys: KeySettings, of path: String) throws(Failure) {
        if keys != .none { try check.withLock({ $0 })?(keys, path) }
    }
}
