import Glibc
import Identity

/// The record of a store's move in `<store>.moving`, next to the old store: after an interruption it shows where a copy
/// may remain. It exists from before the copy is made until the move has finished.
extension TokenCache {
    private static let suffix = ".moving"

    /// - Throws: ``StoreError`` if it cannot be written; then nothing may be copied.
    func noteMove(to other: TokenCache) throws(StoreError) {
        guard let spec = other.spec else { return }
        try StateFile(path: try moveNote(), maximumBytes: StoreSpec.longest).put(Array(spec.description.utf8))
    }

    /// Removes the record, as the move has completed or the copy was removed.
    func forgetMove() {
        if let file = try? moveNote() { _ = uninterrupted { unlink(file) } }
    }

    private func moveNote() throws(StoreError) -> String { try backend.place(.cache).file + Self.suffix }

    /// The destination of an interrupted move of this store; nil if there was none, or if nothing exists there any
    /// more.
    ///
    /// - Parameter read: parses a store name.
    package func brokenMove(_ read: (String) -> TokenCache?) -> TokenCache? {
        guard let file = try? moveNote(),
            let bytes = (try? StateFile(path: file, maximumBytes: StoreSpec.longest).read()) ?? nil,
            let text = String(validating: bytes, as: UTF8.self), let other = read(text),
            let isThere = try? other.status().isThere, isThere
        else { return nil }
        return other
    }
}
