import Glibc

/// Which file or folder a path leads to, whatever its name: the same for two processes that see the same one.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

    /// Nil when there is nothing at the path, or it may not be looked at.
    package init?(ofPath path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        self.init(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    }

    /// - Parameter text: as ``text`` has it.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return nil }
        self.init(device: device, inode: inode)
    }

    var text: String { "\(device):\(inode)" }

    /// The folder that a file is in.
    package init?(ofFolderOf file: String) {
        guard let slash = file.lastIndex(of: "/") else { return nil }
        self.init(ofPath: slash == file.startIndex ? "/" : String(file[..<slash]))
    }
}
