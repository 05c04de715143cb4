import Glibc
package import Identity
import SystemPackage
package import TokenCache

/// Reads a small file that a person wrote: regular files only, bounded, never blocking on a pipe.
package enum TextFile {
    /// Any file that the person named, whoever's it is.
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

    /// A file that this program obeys: nobody else may have written it.
    package static func readTrusted(_ path: String, limit: Int, what: String) throws(Failure) -> [UInt8]? {
        let file: Int32
        do {
            guard let opened = try TrustedFile.open(path) else { return nil }
            file = opened
        } catch { throw Failure(distrust: error, what: what) }
        defer { close(file) }
        return try content(of: file, path, limit: limit, what: what)
    }

    /// Why a file may not be obeyed, with its path; nil when it may, or is not there.
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
            throw Failure(.configuration, "\(path) is no regular file", hint: "the \(what) must be a plain file")
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
    /// A file that this program would obey is not ours alone, or cannot be opened.
    package init(distrust error: StoreError, what: String) {
        let reason = TrustedFile.reason(error, what: what)
        self.init(.configuration, reason.message, hint: .text(reason.hint))
    }
}
