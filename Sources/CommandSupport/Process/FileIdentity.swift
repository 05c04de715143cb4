import Glibc

/// The identity of a file or folder regardless of its path, equal in all processes that see the same file.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

    /// Nil if the path does not exist or may not be read.
    package init?(ofPath path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        self.init(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    }

    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return nil }
        self.init(device: device, inode: inode)
    }

    var text: String { "\(device):\(inode)" }

    package init?(ofFolderOf file: String) {
        guard let slash = file.lastIndex(of: "/") else { return nil }
        self.init(ofPath: slash == file.startIndex ? "/" : String(file[..<slash]))
    }
}
