import Glibc
import TokenCache

package enum Folder {
    /// Creates the folder and missing parents with mode 0700.
    package static func make(_ folder: String) {
        guard folder.utf8.count > 1, access(folder, F_OK) != 0, let slash = folder.lastIndex(of: "/") else { return }
        make(String(folder[..<slash]))
        if mkdir(folder, 0o700) == 0 { AtomicFile.syncFolder(of: folder) }
    }

    /// At most 1,000 matching names; empty if the folder is not readable.
    package static func names(in path: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        var names: [String] = []
        FolderListing.walk(path) { name in
            if isWanted(name) { names.append(name) }
            return names.count < 1000
        }
        return names
    }
}
