import Glibc
import Identity
import TokenCache

/// Reads a small file that a person wrote: regular files only, bounded, never blocking on a pipe (atk-I14).
enum TextFile {
    static func read(_ path: String, limit: Int, what: String) throws(Failure) -> [UInt8]? {
        let file = uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Failure(
                .configuration, "\(path): \(String(cString: strerror(errno)))", hint: "make the \(what) readable, or name another")
        }
        defer { close(file) }
        var status = stat()
        guard uninterrupted({ fstat(file, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.configuration, "\(path) is no regular file", hint: "the \(what) must be a plain file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(.configuration, "\(path): \(String(cString: strerror(errno)))")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        throw Failure(.configuration, "\(path) is larger than \(limit / 1024) KiB", hint: "the \(what) is a small file")
    }
}
