import Glibc
package import Identity
import SystemPackage
package import TokenCache

/// Reads small files written by the user: regular files only, bounded, never blocking on a pipe.
package enum TextFile {
    /// Reads a file that the user named, of any owner; nil if it does not exist.
    package static func read(_ path: String, limit: Int, what: String) throws(Failure) -> [UInt8]? {
        let file = uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else {
            let error = Errno.last
            if error.isAbsence { return nil }
            throw Failure(.configuration, "\(path): \(error)", hint: "make the \(what) readable, or name another")
        }
        defer { close(file) }
        return try content(of: file, path, limit: limit, what: what)
    }

    /// Reads a file that controls this program, so only the user or root may be able to write it; nil if it does not
    /// exist.
    package static func readTrusted(_ path: String, limit: Int, what: String) throws(Failure) -> [UInt8]? {
        let file: Int32
        do {
            guard let opened = try TrustedFile.open(path) else { return nil }
            file = opened
        } catch { throw Failure(distrust: error, what: what) }
        defer { close(file) }
        return try content(of: file, path, limit: limit, what: what)
    }

    /// The reason not to trust a file, with its path; nil if it is trusted or does not exist.
    package static func distrust(of what: String) -> (String) -> String? {
        { path in
            do throws(StoreError) {
                if let file = try TrustedFile.open(path) { close(file) }
                return nil
            } catch { return TrustedFile.reason(error, what: what).message }
        }
    }

    private static func content(of file: Int32, _ path: String, limit: Int, what: String) throws(Failure) -> [UInt8] {
        var status = stat()
        guard uninterrupted({ fstat(file, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.configuration, "\(path) is not a regular file", hint: "the \(what) must be a plain file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = uninterrupted { Glibc.read(file, &chunk, chunk.count) }
            if count == 0 { return bytes }
            if count < 0 {
                let error = Errno.last
                throw Failure(.configuration, "\(path): \(error)")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        throw Failure(.configuration, "\(path) is larger than \(limit / 1024) KiB", hint: "the \(what) is a small file")
    }
}

extension Failure {
    /// The error for a file that others can write, or that cannot be opened.
    package init(distrust error: StoreError, what: String) {
        let reason = TrustedFile.reason(error, what: what)
        self.init(.configuration, reason.message, hint: .text(reason.hint))
    }
}
