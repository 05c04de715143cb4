import Glibc

package enum FolderListing {
    private static let most = 200

    /// Sorted, at most 200, and only printable ASCII, as they become store names; empty if the folder is unreadable.
    static func names(in path: String, _ isWanted: (String) -> Bool) -> [String] {
        var names: [String] = []
        walk(path) { name in
            if isWanted(name), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) {
                names.append(name)
            }
            return names.count < most
        }
        return names.sorted()
    }

    /// Every name in the folder, including `.` and `..`, until `body` returns false; none if the folder is unreadable.
    /// `d_name` is longer by its type than the memory readdir(3) may return, so copying it whole would crash.
    package static func walk(_ path: String, _ body: (String) -> Bool) {
        guard let folder = opendir(path), let place = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self)
            guard body(String(cString: name)) else { return }
        }
    }
}
