/// How large the text of a store may be, in bytes.
enum StoreSize {
    /// Larger files are no stores.
    static let maximum = 64 << 20
    /// Larger files are not read whole where a part of them does: smaller ones are there before an eye can see it.
    static let large = 1 << 20
    /// What is read where a store is to be made smaller: see ``OversizedStore``.
    static let maximumToPrune = 512 << 20
    /// What a keyring's item takes: no cache is larger, and the bus takes no more in one message anyway.
    static let maximumInKeyring = 16 << 20
    /// The limit for files that holds now; ``maximum`` wherever nobody said otherwise.
    @TaskLocal static var limit = maximum
}

/// A store that has grown beyond what is read otherwise can be read and made smaller, and nothing else.
package enum OversizedStore {
    /// Runs a body in which plain files of up to 512 MiB are stores.
    package static func accepted<Value, Problem: Error>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
        let outcome = StoreSize.$limit.withValue(StoreSize.maximumToPrune) { () -> Result<Value, Problem> in
            do throws(Problem) { return .success(try body()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
