import Glibc
package import SystemPackage

/// Repeats a system call while it fails with EINTR, which means that nothing was done yet.
///
/// Not for close(2): on Linux the descriptor is closed even then, and its number can be in use again.
@inline(__always)
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer != -1 || Errno.last != .interrupted { return answer }
    }
}

/// Writes as much as possible; returns the error if that is not everything.
package func writeAll(_ bytes: [UInt8], to file: Int32) -> Errno? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { part in uninterrupted { write(file, part.baseAddress, part.count) } }
        guard count > 0 else { return .last }
        rest = rest.dropFirst(count)
    }
    return nil
}

/// The target of a symbolic link; nil if there is no readable link.
package func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = uninterrupted { readlink(path, &buffer, buffer.count) }
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The absolute path of an existing file, without links.
package func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
}

/// This process's working folder; nil if it was deleted.
package func currentFolder() -> String? {
    guard let found = getcwd(nil, 0) else { return nil }
    defer { free(found) }
    return String(cString: found)
}

extension Errno {
    /// The error of the last system call; read it right after the call.
    package static var last: Errno { Errno(rawValue: errno) }

    /// Whether the file does not exist.
    package var isAbsence: Bool { self == .noSuchFileOrDirectory || self == .notDirectory }
}
