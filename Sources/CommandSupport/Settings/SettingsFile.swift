import Glibc
package import Identity
package import StrictTOML
import SystemPackage
import TokenCache

/// The one writer of the settings file: it changes one line and leaves every other as the person wrote it. What it is
/// about to write is read back first, with the reader that every command has; a file that would not say what was wanted
/// is not written.
package struct SettingsFile {
    let path: String
    package init(_ path: String) { self.path = path }

    /// Sets a top-level text. A line of that name before the first table is replaced; without one it becomes the first
    /// line.
    package func set(_ key: String, to value: String) throws(Failure) {
        try set(key, .text(value)) { settings in
            switch key {
            case "client": settings.defaultClient == value
            case "theme": settings.theme == value
            case "store": settings.store == value
            default: false
            }
        }
    }

    /// The same for yes or no.
    package func set(_ key: String, to value: Bool) throws(Failure) {
        try set(key, .flag(value)) { key == "mouse" && $0.mouse == value }
    }

    private func set(_ key: String, _ value: TOMLText, isAsWanted: (Settings) -> Bool) throws(Failure) {
        let line = "\(key) = \(value.written)"
        try change(byHand: "\(line) before the first [header]", isAsWanted) { lines in
            let top = lines.prefix { !$0.drop(while: \.isWhitespace).hasPrefix("[") }
            if let place = top.firstIndex(where: { Self.isLine(of: key, $0) }) {
                lines[place] = line + Self.comment(of: lines[place])
            } else {
                lines.insert(line, at: 0)
            }
        }
    }

    /// Sets a flag of the table of a store, `[stores.NAME]`; the table is made where there is none.
    package func set(_ key: String, ofStore name: String, to value: Bool) throws(Failure) {
        let line = "\(key) = \(TOMLText.flag(value).written)"
        let header = "[stores.\(TOMLText.key(name))]"
        func plain(_ line: String) -> String { line.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" } }
        func isAsWanted(_ settings: Settings) -> Bool {
            guard let store = settings.stores.first(where: { $0.name == name }) else { return false }
            return (key == "write" ? store.mayWrite : store.isHidden) == value
        }
        try change(byHand: "\(header) and \(line)", isAsWanted) { lines in
            guard let place = lines.firstIndex(where: { plain($0).prefix { $0 != "#" } == "[stores.\(name)]" }) else {
                if !lines.isEmpty { lines.append("") }
                lines += [header, line]
                return
            }
            let body = lines[(place + 1)...].prefix { !plain($0).hasPrefix("[") }
            if let place = body.indices.first(where: { Self.isLine(of: key, lines[$0]) }) {
                lines[place] = line + Self.comment(of: lines[place])
            } else {
                lines.insert(line, at: place + 1)
            }
        }
    }

    /// Adds a client at the end, after an empty line.
    ///
    /// - Parameter endpoints: those of its own table, `[clients.NAME.endpoints]`.
    package func add(
        client name: String, clientID: String, _ members: [(key: String, value: TOMLText)],
        endpoints: [(key: String, value: TOMLText)] = []
    ) throws(Failure) {
        let header = "[clients.\(TOMLText.key(name))]"
        func lines(_ members: [(key: String, value: TOMLText)]) -> [String] {
            members.map { "\($0.key) = \($0.value.written)" }
        }
        var body = [header] + lines([(key: "client_id", value: .text(clientID))] + members)
        if !endpoints.isEmpty { body += ["", "[clients.\(TOMLText.key(name)).endpoints]"] + lines(endpoints) }
        try change(
            byHand: body.filter { !$0.isEmpty }.joined(separator: " "), { $0.client(named: name)?.clientID == clientID }
        ) { lines in
            if !lines.isEmpty { lines.append("") }
            lines += body
        }
    }

    /// - Parameters:
    ///   - byHand: what a person would write, for when the file is not changed.
    ///   - isAsWanted: whether the settings say afterwards what they are to say.
    func change(byHand: String, _ isAsWanted: (Settings) -> Bool, _ edit: (inout [String]) -> Void)
        throws(Failure)
    {
        let bytes = try TextFile.readTrusted(path, limit: Settings.maximumSize, what: "settings file") ?? []
        guard let before = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.configuration, "\(path) is not UTF-8", hint: "save it as UTF-8")
        }
        var lines = before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        edit(&lines)
        let text = lines.joined(separator: "\n") + "\n"
        var isRight = false
        if text.utf8.count <= Settings.maximumSize,
            let settings = try? SettingsReader(path: path, text: text).settings()
        {
            isRight = isAsWanted(settings)
        }
        guard isRight else {
            throw Failure(
                .configuration, "\(path) is left as it is: the change would damage it",
                hint: "change it by hand: \(byHand)")
        }
        try replace(with: Array(text.utf8))
    }

    /// Whether a line sets a key.
    private static func isLine(of key: String, _ line: String) -> Bool {
        line.contains("=") && line.prefix { $0 != "=" }.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" } == key
    }

    /// What follows the value, when it is a comment.
    private static func comment(of line: String) -> String {
        StrictTOML.comment(ofLine: line.hasSuffix("\r") ? String(line.dropLast()) : line) ?? ""
    }

    /// Written aside and renamed, so that a full disk leaves the old file; through a link to where it leads, as
    /// dot-file managers link.
    ///
    /// - Parameter mode: the permission bits; nil keeps those that the file has.
    package func replace(with bytes: [UInt8], mode: UInt32? = nil) throws(Failure) {
        do { try TrustedFile.checkPlace(path) } catch { throw Failure(distrust: error, what: "settings file") }
        let place = Self.resolved(path)
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        Folder.make(folder)
        var old = stat()
        let mode = mode ?? (stat(place, &old) == 0 ? old.st_mode & 0o777 : 0o600)
        let aside = Self.aside(place)
        let file: Int32
        do throws(Errno) { file = try Self.make(aside, mode: mode) } catch { throw problem(error) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { part in uninterrupted { write(file, part.baseAddress, part.count) } }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten =
            rest.isEmpty && uninterrupted { fsync(file) } == 0 && uninterrupted { rename(aside, place) } == 0
        let failed = isWritten ? nil : problem(.last)
        if failed != nil { _ = uninterrupted { unlink(aside) } }
        close(file)
        if let failed { throw failed }
    }

    /// Takes away what a process that died in the middle of a change has left beside the file.
    package func clearLeftovers() { Self.clear(Self.aside(Self.resolved(path))) }

    private static func aside(_ place: String) -> String { place + ".new" }

    /// A new file that is locked as long as its writer lives; another writer is waited for, for a second.
    private static func make(_ aside: String, mode: mode_t) throws(Errno) -> Int32 {
        for _ in 0..<100 {
            clear(aside)
            let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
            if file >= 0 {
                let isLocked = uninterrupted { flock(file, LOCK_EX | LOCK_NB) } == 0 || Errno.last != .wouldBlock
                // Between the two calls it may have been taken for a dead process's.
                if isLocked, isSame(file, aside) { return file }
                close(file)
            } else {
                let error = Errno.last
                guard error == .fileExists else { throw error }
            }
            usleep(10_000)
        }
        throw .fileExists
    }

    private static func clear(_ aside: String) {
        let file = uninterrupted { open(aside, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return }
        if uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0, isSame(file, aside) {
            _ = uninterrupted { unlink(aside) }
        }
        close(file)
    }

    private static func isSame(_ file: Int32, _ name: String) -> Bool {
        var open = stat()
        var named = stat()
        return uninterrupted({ fstat(file, &open) }) == 0 && uninterrupted({ lstat(name, &named) }) == 0
            && open.st_ino == named.st_ino && open.st_dev == named.st_dev && open.st_uid == geteuid()
    }

    private func problem(_ error: Errno) -> Failure {
        Failure(
            .configuration, "\(path): \(error)",
            hint: "make the settings file and its folder writable")
    }

    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}

/// A folder: what it holds, and how it is made.
package enum Folder {
    /// Makes the folder, and those above it, for nobody but us, where they are missing.
    package static func make(_ folder: String) {
        guard folder.utf8.count > 1, access(folder, F_OK) != 0, let slash = folder.lastIndex(of: "/") else { return }
        make(String(folder[..<slash]))
        _ = mkdir(folder, 0o700)
    }

    /// At most a thousand names; none when it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 1000, let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names
    }
}
