import Glibc

/// The names in a folder.
package enum FolderListing {
    private static let most = 200

    /// Sorted, at most two hundred, and only those of a plain alphabet, as they become names of stores; none when the
    /// folder cannot be read.
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

    /// Each name as the folder has them, `.` and `..` too, until `body` is false; none when it cannot be read.
    ///
    /// Only as much of an entry is read as there is: `d_name` is longer by its type than the memory may be that
    /// readdir(3) gives, and a copy of it would end the process.
    package static func walk(_ path: String, _ body: (String) -> Bool) {
        guard let folder = opendir(path), let place = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self)
            guard body(String(cString: name)) else { return }
        }
    }
}
