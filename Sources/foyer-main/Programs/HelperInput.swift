import Glibc
import TokenCache

enum HelperInput {
    /// - Parameter limit: bytes; one more is read to detect longer input.
    static func read(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = uninterrupted { Glibc.read(STDIN_FILENO, &chunk, chunk.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
