import Glibc
package import SystemPackage

/// Replaces a file by another one, written under a temporary name: readers find the old content or the new one.
package enum AtomicFile {
    package struct Problem: Error, Equatable {
        package let operation: String
        package let code: Errno
    }

    /// Writes and syncs the content, renames the file, and syncs the folder. On any error the old file is unchanged and
    /// no temporary file remains.
    ///
    /// - Parameters:
    ///   - file: open for writing. It has the name `aside`, or no name if `isNameless`.
    ///   - folder: the open folder of both names.
    ///   - touch: sets the file's time.
    ///   - isExpected: asked right before the file is renamed; if false, `rename` fails with `ESTALE`.
    package static func replace(
        _ name: String, with bytes: [UInt8], in file: Int32, _ aside: String, folder: Int32 = AT_FDCWD,
        isNameless: Bool = false, touch: (Int32) -> Void = { _ in }, isExpected: () -> Bool = { true }
    ) throws(Problem) {
        var isNamed = !isNameless
        do throws(Problem) {
            try fill(file, with: bytes, touch: touch)
            if isNameless {
                try call("link") {
                    linkat(AT_FDCWD, "/proc/self/fd/\(file)", folder, aside, Int32(AT_SYMLINK_FOLLOW))
                }
                isNamed = true
            }
            guard isExpected() else { throw Problem(operation: "rename", code: .staleNFSFileHandle) }
            try call("rename") { renameat(folder, aside, folder, name) }
            if folder == AT_FDCWD { syncFolder(of: name) } else { _ = uninterrupted { fsync(folder) } }
        } catch {
            // A file that already had the name belongs to another process.
            if isNamed { _ = uninterrupted { unlinkat(folder, aside, 0) } }
            throw error
        }
    }

    /// Makes the names in a file's folder survive a power cut. Some network file systems do not support this; what was
    /// renamed or removed is in effect, so no error is a reason to fail.
    package static func syncFolder(of path: String) {
        let folder = uninterrupted { open(ResolvedPath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { return }
        _ = uninterrupted { fsync(folder) }
        close(folder)
    }

    /// Makes this the whole content of an open file, and syncs it.
    static func fill(_ file: Int32, with bytes: [UInt8], touch: (Int32) -> Void = { _ in }) throws(Problem) {
        try fill(file, size: bytes.count, touch: touch) { writeAll(bytes, to: file) }
    }

    /// Makes this number of blanks the whole content of an open file, and syncs it.
    package static func fill(_ file: Int32, blanks size: Int) throws(Problem) {
        let piece = [UInt8](repeating: 0x20, count: 1 << 16)
        try fill(file, size: size) {
            for start in stride(from: 0, to: size, by: piece.count) {
                if let code = writeAll(Array(piece.prefix(size - start)), to: file) { return code }
            }
            return nil
        }
    }

    private static func fill(
        _ file: Int32, size: Int, touch: (Int32) -> Void = { _ in }, write: () -> Errno?
    ) throws(Problem) {
        try call("lseek") { lseek(file, 0, SEEK_SET) }
        if let code = write() { throw Problem(operation: "write", code: code) }
        try call("ftruncate") { ftruncate(file, off_t(size)) }
        touch(file)
        try call("fsync") { fsync(file) }
    }

    private static func call(_ operation: String, _ body: () -> some SignedInteger) throws(Problem) {
        guard uninterrupted(body) == 0 else { throw Problem(operation: operation, code: .last) }
    }
}
