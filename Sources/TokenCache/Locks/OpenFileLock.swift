import Glibc
package import SystemPackage

/// Locks owned by the open file description (OFD), not by the process.
package enum OpenFileLock {
    private static let setCommand: Int32 = 37
    private static let getCommand: Int32 = 36

    /// - Parameters:
    ///   - type: `F_RDLCK`, `F_WRLCK` or `F_UNLCK`. Never blocks.
    ///   - length: number of bytes; zero means to the end.
    /// - Returns: the error, if any.
    package static func set(_ type: Int32, of descriptor: Int32, at offset: Int64, length: Int64 = 1) -> Errno? {
        var request = request(type, at: offset, length: length)
        return uninterrupted({ fcntl(descriptor, setCommand, &request) }) == 0 ? nil : .last
    }

    /// Whether another open file has a lock there, of either type. Does not take one.
    package static func isHeldElsewhere(_ descriptor: Int32, at offset: Int64) -> Bool {
        var request = request(F_WRLCK, at: offset, length: 1)
        return uninterrupted({ fcntl(descriptor, getCommand, &request) }) == 0
            && request.l_type != Int16(truncatingIfNeeded: F_UNLCK)
    }

    private static func request(_ type: Int32, at offset: Int64, length: Int64) -> flock {
        var request = flock()
        request.l_type = Int16(truncatingIfNeeded: type)
        request.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        request.l_start = off_t(offset)
        request.l_len = off_t(length)
        return request
    }
}
