import Glibc

/// Where programs lie: ours in a build of the repository, and those of others on the path.
enum Programs {
    static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"

    /// This one.
    static let own: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The repository that this program was built in, else the folder that it was started in.
    static let repository = repository(above: own) ?? "."

    /// Where ours lie.
    static let folder = folder(named: getenv("FOYER_BIN").map { String(cString: $0) }, in: repository)

    /// The nearest folder above that has foyer's sources.
    static func repository(above path: String) -> String? {
        var folders = path.split(separator: "/")
        while folders.popLast() != nil {
            let folder = folders.map { "/" + $0 }.joined()
            if access(folder + "/Sources/foyer", F_OK) == 0 { return folder }
        }
        return nil
    }

    /// The folder that is named, else that of the release build; as its absolute path when there is one.
    static func folder(named: String?, in repository: String) -> String {
        let folder = named.flatMap { $0.isEmpty ? nil : $0 } ?? repository + "/.build/release"
        guard let resolved = realpath(folder, nil) else { return folder }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static var foyer: String { folder + "/foyer" }
    static var whole: String { folder + "/foyer-main" }
    static var sandbox: String { folder + "/foyer-sandbox" }

    /// The names of ours that are not built.
    static var missing: [String] {
        let programs = [foyer, whole, sandbox]
        return programs.filter { access($0, X_OK) != 0 }.map { name($0) }
    }

    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    static func onPath(_ name: String) -> String? {
        path.split(separator: ":").map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
    }
}
