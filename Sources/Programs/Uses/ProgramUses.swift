package import CommandSupport
import Glibc
import StrictJSON
import SystemPackage
import TokenCache

/// The last times that programs were given tokens, one JSON object on a line, for nobody but their owner:
/// `program-uses.jsonl` in the state folder. What cannot be noted is missed by who reads it, and holds up nobody.
package struct ProgramUses: Sendable {
    private let path: String
    /// Of the file, in bytes; the next note makes a longer one shorter.
    private static let longest = 262_144
    private static let most = 200
    /// In milliseconds.
    private let patience: Int

    /// - Parameter patience: two that note at the same time wait for each other no longer; in milliseconds.
    package init(_ environment: ProcessEnvironment, patience: Int = 100) {
        path = environment.stateFolder + "/program-uses.jsonl"
        self.patience = patience
    }

    // MARK: Reading

    /// The latest first, at most 200; none where there is no file, or none of ours.
    package func read() -> [ProgramUse] {
        let file = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard file >= 0 else { return [] }
        defer { close(file) }
        guard let size = Self.size(file) else { return [] }
        return Self.lines(file, size).reversed().lazy.compactMap { line in
            (try? JSONValue(parsing: Array(line), limits: JSONLimits(maximumBytes: Self.longest, maximumDepth: 4)))
                .flatMap { ProgramUse($0) }
        }
    }

    /// - Returns: nil for what is no file of ours.
    private static func size(_ file: Int32) -> off_t? {
        var info = stat()
        guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else { return nil }
        return info.st_size
    }

    /// The last whole lines, at most 200, of the last bytes; of a file that nobody has kept short, not all.
    private static func lines(_ file: Int32, _ size: off_t) -> [ArraySlice<UInt8>] {
        let start = max(0, size - off_t(longest))
        var bytes = [UInt8](repeating: 0, count: Int(size - start))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { room in
                uninterrupted { pread(file, room.baseAddress! + count, room.count - count, start + off_t(count)) }
            }
            guard read > 0 else { break }
            count += read
        }
        var text = bytes[..<count]
        if start > 0 { text = text.drop { $0 != 0x0A } }
        return text.split(separator: 0x0A).suffix(most)
    }

    // MARK: Noting

    package func note(_ use: ProgramUse) {
        let line = Array((use.json.serialized() + "\n").utf8)
        Folder.make(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        // What another process has made short meanwhile is opened again.
        for _ in 0..<3 { if note(line) { return } }
    }

    /// - Returns: false where the file that was opened is not the one of that name any more.
    private func note(_ line: [UInt8]) -> Bool {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = uninterrupted { open(path, flags, 0o600) }
        guard file >= 0 else { return true }
        defer { close(file) }
        let isLocked = lock(file)
        guard let size = Self.size(file), fchmod(file, 0o600) == 0 else { return true }
        if isLocked, !isNamed(file) { return false }
        guard size + off_t(line.count) > off_t(Self.longest) else {
            Self.append(line, to: file, size, isLocked: isLocked)
            return true
        }
        if isLocked { replace(Self.lines(file, size), line) }
        return true
    }

    private static func append(_ line: [UInt8], to file: Int32, _ size: off_t, isLocked: Bool) {
        var line = line
        var last: UInt8 = 0x0A
        // A disk that was full, or a machine that went down, may have left half a line.
        if size > 0, pread(file, &last, 1, size - 1) == 1, last != 0x0A { line.insert(0x0A, at: 0) }
        let written = uninterrupted { write(file, line, line.count) }
        if isLocked, written > 0, written < line.count { _ = uninterrupted { ftruncate(file, size) } }
    }

    /// Puts the last lines and the new one in the place of the file at once; one that cannot be written stays as it is.
    private func replace(_ kept: [ArraySlice<UInt8>], _ line: [UInt8]) {
        var room = Self.longest / 2 - line.count
        let last = kept.suffix(Self.most - 1).reversed().prefix { line in
            room -= line.count + 1
            return room >= 0
        }
        let bytes = last.reversed().flatMap { $0 + [0x0A] } + line
        let aside = path + ".new"
        // Whoever has left it is gone: the lock is ours.
        _ = uninterrupted { unlink(aside) }
        let file = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard file >= 0 else { return }
        defer { close(file) }
        let isWhole = uninterrupted { write(file, bytes, bytes.count) } == bytes.count
        if !isWhole || uninterrupted({ rename(aside, path) }) != 0 { _ = uninterrupted { unlink(aside) } }
    }

    /// - Returns: whether it is ours. A line that is added without is whole as well; only a file that another makes
    ///   short at that moment loses it.
    private func lock(_ file: Int32) -> Bool {
        for _ in 0..<patience {
            if uninterrupted({ flock(file, LOCK_EX | LOCK_NB) }) == 0 { return true }
            guard Errno.last == .wouldBlock else { return false }
            usleep(1000)
        }
        return false
    }

    private func isNamed(_ file: Int32) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(file, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }
}
