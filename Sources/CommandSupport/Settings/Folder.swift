import Glibc
import TokenCache

/// A folder: what it holds, and how it is made.
package enum Folder {
    /// Makes the folder, and those above it, for nobody but us, where they are missing.
    package static func make(_ folder: String) {
        guard folder.utf8.count > 1, access(folder, F_OK) != 0, let slash = folder.lastIndex(of: "/") else { return }
        make(String(folder[..<slash]))
        _ = mkdir(folder, 0o700)
    }

    /// At most a thousand names of those that are wanted; none when it cannot be read.
    package static func names(in path: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        var names: [String] = []
        FolderListing.walk(path) { name in
            if isWanted(name) { names.append(name) }
            return names.count < 1000
        }
        return names
    }
}
