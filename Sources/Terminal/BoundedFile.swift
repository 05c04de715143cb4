import Glibc

/// A small untrusted file: opened without blocking on FIFOs, checked to be a regular file, and read only up to a limit.
enum BoundedFile {
    static let largest = 65_536

    static func read(_ path: String) throws(ThemeError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(file: path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(file: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(file: path) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(file: path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= largest else { throw .tooLarge(file: path) }
        }
    }
}
