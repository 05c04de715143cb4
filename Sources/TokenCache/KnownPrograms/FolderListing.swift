import Glibc

/// The names in a folder.
enum FolderListing {
    private static let most = 200

    /// Sorted, at most two hundred, and only those of a plain alphabet, as they become names of stores; none when the
    /// folder cannot be read.
    static func names(in path: String, _ isWanted: (String) -> Bool) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < most, let item = readdir(folder) {
            let name = withUnsafeBytes(of: item.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard isWanted(name), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
                continue
            }
            names.append(name)
        }
        return names.sorted()
    }
}
