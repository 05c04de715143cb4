import Glibc

enum Files {
    /// The whole file; nil when it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
    }

    /// Only the owner may read it, as foyer demands of a store.
    static func write(_ path: String, _ text: String) {
        guard let stream = fopen(path, "w") else { return }
        fputs(text, stream)
        fclose(stream)
        chmod(path, 0o600)
    }

    /// Bytes of the file, 0 when there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
    }
}
