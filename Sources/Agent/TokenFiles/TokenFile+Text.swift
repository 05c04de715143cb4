package import Identity
import TokenCache

extension TokenFile {
    /// Writes only the token, atomically and readable only by its owner.
    ///
    /// - Throws: `storeError`; the file is then unchanged.
    package static func write(_ secret: Secret, to path: String) throws(Failure) {
        let bytes = Array(secret.reveal().utf8)
        let file = StateFile(path: path, maximumBytes: longest)
        do {
            // Do not wake programs that watch the file unless the token changes.
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
