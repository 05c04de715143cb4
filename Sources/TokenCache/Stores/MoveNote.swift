import Glibc

/// A move of a store that was broken off, by the small file beside the old one, `<store>.moving`: it names the place
/// where a copy may have been left. It is there from before the copy is made until the move is over.
extension TokenCache {
    private static let suffix = ".moving"

    /// - Throws: ``StoreError`` where it cannot be written; then nothing may be copied.
    func noteMove(to other: TokenCache) throws(StoreError) {
        guard let spec = other.spec else { return }
        try StateFile(path: try moveNote(), maximumBytes: StoreSpec.longest).put(Array(spec.description.utf8))
    }

    /// The copy is what is meant from now on, or was taken away.
    func forgetMove() {
        if let file = try? moveNote() { _ = uninterrupted { unlink(file) } }
    }

    private func moveNote() throws(StoreError) -> String { try backend.place(.cache).file + Self.suffix }

    /// Where a move of this store that did not come to its end was going; nil where none was, or nothing is there any
    /// more.
    ///
    /// - Parameter read: reads the text that names a store.
    package func brokenMove(_ read: (String) -> TokenCache?) -> TokenCache? {
        guard let file = try? moveNote(),
            let bytes = (try? StateFile(path: file, maximumBytes: StoreSpec.longest).read()) ?? nil,
            let text = String(validating: bytes, as: UTF8.self), let other = read(text),
            let isThere = try? other.status().isThere, isThere
        else { return nil }
        return other
    }
}
