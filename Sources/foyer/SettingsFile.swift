import Glibc
import Identity
import TokenCache

/// Changes one line of the settings file and leaves every other as the person wrote it.
struct SettingsFile {
    private let path: String
    init(_ path: String) { self.path = path }

    /// Sets a top-level text. A line of that name before the first table is replaced; without one it becomes the first line.
    func set(_ key: String, to value: String) throws(Failure) { try set(key, written: "\"\(value)\"") }

    /// The same for yes or no.
    func set(_ key: String, to value: Bool) throws(Failure) { try set(key, written: value ? "true" : "false") }

    private func set(_ key: String, written value: String) throws(Failure) {
        let bytes = try TextFile.read(path, limit: Settings.maximumSize, what: "settings file") ?? []
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        let line = "\(key) = \(value)"
        let top = lines.prefix { !$0.drop(while: \.isWhitespace).hasPrefix("[") }
        if let place = top.firstIndex(where: { $0.prefix { $0 != "=" }.filter { !$0.isWhitespace } == key && $0.contains("=") }) {
            lines[place] = line + Self.comment(of: lines[place])
        } else {
            lines.insert(line, at: 0)
        }
        try replace(with: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Sets a flag of the table of a store, `[stores.NAME]`; the table is made where there is none. What the file says afterwards is checked before it
    /// is written, as a table may be written in other ways than with a header.
    func set(_ key: String, ofStore name: String, to value: Bool) throws(Failure) {
        let bytes = try TextFile.read(path, limit: Settings.maximumSize, what: "settings file") ?? []
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        func plain(_ line: String) -> String { line.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" } }
        let line = "\(key) = \(value)"
        if let header = lines.firstIndex(where: { plain($0).prefix { $0 != "#" } == "[stores.\(name)]" }) {
            let body = lines[(header + 1)...].prefix { !plain($0).hasPrefix("[") }
            if let place = body.indices.first(where: { plain(lines[$0]).prefix { $0 != "=" } == key && lines[$0].contains("=") }) {
                lines[place] = line + Self.comment(of: lines[place])
            } else {
                lines.insert(line, at: header + 1)
            }
        } else {
            if !lines.isEmpty { lines.append("") }
            lines += ["[stores.\(Self.key(name))]", line]
        }
        let text = lines.joined(separator: "\n") + "\n"
        var isAsWanted = false
        if let settings = try? SettingsReader(path: path, text: text).settings(),
            let store = settings.stores.first(where: { $0.name == name })
        {
            isAsWanted = (key == "write" ? store.mayWrite : store.isHidden) == value
        }
        guard isAsWanted else {
            throw Failure(
                .configuration, "\(path) is left as it is: the store is written there in another way",
                hint: "change it by hand: [stores.\(Self.key(name))] and \(line)")
        }
        try replace(with: Array(text.utf8))
    }

    /// A key of TOML, in quotation marks where its letters need them.
    private static func key(_ name: String) -> String {
        let isBare =
            !name.isEmpty
            && name.utf8.allSatisfy {
                $0 == 0x2D || $0 == 0x5F || ($0 < 0x80 && Character(UnicodeScalar($0)).isLetter) || (0x30...0x39).contains($0)
            }
        return isBare ? name : "\"" + name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }

    /// Puts lines at the end, after an empty one.
    func add(_ lines: [String]) throws(Failure) {
        let bytes = try TextFile.read(path, limit: Settings.maximumSize, what: "settings file") ?? []
        var text = String(decoding: bytes, as: UTF8.self)
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        try replace(with: Array(((text.isEmpty ? "" : text + "\n") + lines.joined(separator: "\n") + "\n").utf8))
    }

    /// What follows the value, when it is a comment.
    private static func comment(of line: String) -> String {
        guard let first = line.firstIndex(of: "#") else { return "" }
        // A value without quotes, such as true.
        if line.firstIndex(of: "\"").map({ $0 > first }) ?? true { return " " + line[first...] }
        guard let quote = line.lastIndex(of: "\""), let sign = line[quote...].firstIndex(of: "#") else { return "" }
        return String(line[line.index(after: quote)..<sign] + line[sign...])
    }

    /// Written aside and renamed, so that a full disk leaves the old file; through a link to where it leads, as dot-file managers link.
    ///
    /// - Parameter mode: nil keeps the mode that the file has.
    func replace(with bytes: [UInt8], mode: mode_t? = nil) throws(Failure) {
        let place = Self.resolved(path)
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        Self.make(folder)
        var old = stat()
        let mode = mode ?? (stat(place, &old) == 0 ? old.st_mode & 0o777 : 0o600)
        let aside = Self.aside(place)
        let file = Self.make(aside, mode: mode)
        guard file >= 0 else { throw problem() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && uninterrupted { fsync(file) } == 0 && uninterrupted { rename(aside, place) } == 0
        let failed = isWritten ? nil : problem()
        if failed != nil { _ = uninterrupted { unlink(aside) } }
        close(file)
        if let failed { throw failed }
    }

    /// Takes away what a process that died in the middle of a change has left beside the file.
    func clearLeftovers() { Self.clear(Self.aside(Self.resolved(path))) }

    private static func aside(_ place: String) -> String { place + ".new" }

    /// A new file that is locked as long as its writer lives; another writer is waited for, for a second.
    private static func make(_ aside: String, mode: mode_t) -> Int32 {
        for _ in 0..<100 {
            clear(aside)
            let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
            if file >= 0 {
                let isLocked = uninterrupted { flock(file, LOCK_EX | LOCK_NB) } == 0 || errno != EWOULDBLOCK
                // Between the two calls it may have been taken for a dead process's.
                if isLocked, isSame(file, aside) { return file }
                close(file)
            } else if errno != EEXIST {
                return file
            }
            usleep(10_000)
        }
        errno = EEXIST
        return -1
    }

    private static func clear(_ aside: String) {
        let file = uninterrupted { open(aside, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return }
        if uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0, isSame(file, aside) { _ = uninterrupted { unlink(aside) } }
        close(file)
    }

    private static func isSame(_ file: Int32, _ name: String) -> Bool {
        var open = stat()
        var named = stat()
        return uninterrupted({ fstat(file, &open) }) == 0 && uninterrupted({ lstat(name, &named) }) == 0
            && open.st_ino == named.st_ino && open.st_dev == named.st_dev && open.st_uid == geteuid()
    }

    /// The folder, and those above it, for nobody but us.
    private static func make(_ folder: String) {
        guard folder.utf8.count > 1, access(folder, F_OK) != 0, let slash = folder.lastIndex(of: "/") else { return }
        make(String(folder[..<slash]))
        _ = mkdir(folder, 0o700)
    }

    private func problem() -> Failure {
        Failure(.configuration, "\(path): \(String(cString: strerror(errno)))", hint: "make the settings file and its folder writable")
    }

    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}

/// What a folder holds.
enum Folder {
    /// At most a thousand names; none when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 1000, let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            )
        }
        return names
    }
}
