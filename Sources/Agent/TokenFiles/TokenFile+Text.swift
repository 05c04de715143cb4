package import Identity
import SilentFirst
import TokenCache

extension TokenFile {
    /// Writes the token alone, for its owner to read, in one step.
    ///
    /// - Throws: `storeError`; then the file is as it was.
    package static func write(_ secret: Secret, to path: String) throws(Failure) {
        let bytes = Array(secret.reveal().utf8)
        let file = StateFile(path: path, maximumBytes: longest)
        do {
            // Readers that watch it hear of changes only.
            if let old = try? file.read(), old == bytes { return }
            try file.put(bytes)
        } catch { throw Failure(error) }
    }

    /// - Throws: `storeError`.
    static func remove(_ path: String) throws(Failure) {
        do { try StateFile(path: path, maximumBytes: longest).remove() } catch { throw Failure(error) }
    }

    /// Bytes.
    private static let longest = 1_048_576
}
