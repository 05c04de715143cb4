/// Maximum size of a store's content, in bytes.
enum StoreSize {
    /// Larger files are rejected.
    static let maximum = 64 << 20
    /// Larger files are read in part for a list; smaller ones are read without visible delay.
    static let large = 1 << 20
    /// Larger files are read in part for the token of a named account.
    static let selected = 32 << 10
    /// The limit while a store is being pruned: see ``OversizedStore``.
    static let maximumToPrune = 512 << 20
    /// Maximum keyring item: no cache is larger, and D-Bus does not transfer more in one message.
    static let maximumInKeyring = 16 << 20
    /// The current limit for files; ``maximum`` unless overridden.
    @TaskLocal static var limit = maximum
}

/// Reading and pruning of stores above the normal size limit.
package enum OversizedStore {
    /// Runs a body with a limit of 512 MiB for plain files.
    package static func accepted<Value, Problem: Error>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        let outcome = StoreSize.$limit.withValue(StoreSize.maximumToPrune) { () -> Result<Value, Problem> in
            do throws(Problem) { return .success(try body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
