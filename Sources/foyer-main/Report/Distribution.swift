import CommandSupport

/// From `os-release`, if it is well known: the name of a custom image could identify its maker.
struct Distribution: Hashable {
    let name: ReportWord
    let version: ReportWord?

    static var ofSystem: Distribution? {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            guard let bytes = try? TextFile.read(path, limit: 65_536, what: "file") else { continue }
            return Distribution(osRelease: String(decoding: bytes, as: UTF8.self))
        }
        return nil
    }

    /// - Parameter text: lines of `NAME=value`, see os-release(5).
    init(osRelease text: String) {
        func value(_ key: String) -> String? {
            let line = text.split(whereSeparator: \.isNewline).last { $0.hasPrefix(key + "=") }
            return line.map { $0.dropFirst(key.count + 1).filter { $0 != "\"" && $0 != "'" } }
        }
        func known(_ name: some StringProtocol) -> ReportWord? {
            ReportWord(String(name), of: ReportLists.distributions)
        }
        if let name = value("ID").flatMap(known) {
            self.name = name
            version = value("VERSION_ID").flatMap { ReportWord(version: $0) }
        } else {
            // Reports the base distribution instead; the version does not apply to it.
            name = (value("ID_LIKE") ?? "").split(separator: " ").lazy.compactMap(known).first ?? "another"
            version = nil
        }
    }
}
