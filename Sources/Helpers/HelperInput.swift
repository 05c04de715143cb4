import CLinux
import Glibc
package import Identity
import TokenCache

/// The request that a program writes to its helper's standard input.
package enum HelperInput {
    /// - Parameter limit: bytes; one more is read to detect longer input.
    package static func read(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = uninterrupted { Glibc.read(STDIN_FILENO, &chunk, chunk.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Makes these bytes standard input again, in memory, for a program that takes over and reads them once more.
    package static func putBack(_ bytes: [UInt8]) throws(Failure) {
        let file = foyer_memory_file()
        guard file >= 0, bytes.isEmpty || write(file, bytes, bytes.count) == bytes.count, lseek(file, 0, SEEK_SET) == 0,
            dup2(file, STDIN_FILENO) == STDIN_FILENO
        else { throw Failure(.unavailable, "no memory for the request") }
    }
}
