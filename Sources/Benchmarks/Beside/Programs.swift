import Glibc

/// Where programs lie: ours beside this one, as one build leaves them, and those of others on the path.
enum Programs {
    static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"

    static let folder: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }()

    static var own: String { folder + "/Benchmarks" }
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
