package import CommandSupport
import Glibc
import StrictJSON
import TokenCache

/// The latest token requests of programs, one JSON object per line: `program-uses.jsonl` in the state folder, readable
/// by the owner only. A failure to write only affects later reports.
package struct ProgramUses: Sendable {
    package let path: String
    private let file: StateFile
    /// Bytes; the next entry shortens a longer file.
    private static let longest = 262_144
    private static let most = 200

    /// - Parameter patience: longest wait for another writer.
    package init(_ environment: ProcessEnvironment, patience: Duration = .milliseconds(100)) {
        path = environment.stateFolder + "/program-uses.jsonl"
        file = StateFile(path: path, maximumBytes: Self.longest, lockWait: patience)
    }

    // MARK: Reading

    /// Newest first, at most 200; none if the file is missing or not our own.
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

    private static func size(_ file: Int32) -> off_t? {
        var info = stat()
        guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid() else { return nil }
        return info.st_size
    }

    /// The last complete lines within ``longest`` bytes, at most 200.
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
        do throws(StoreError) {
            try file.holding { note(line, isLocked: true) }
        } catch {
            // Appended without the lock, the line is still complete; it is lost only if another process shortens the
            // file right then.
            note(line, isLocked: false)
        }
    }

    private func note(_ line: [UInt8], isLocked: Bool) {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let opened = uninterrupted { open(path, flags, 0o600) }
        guard opened >= 0 else { return }
        defer { close(opened) }
        guard let size = Self.size(opened), fchmod(opened, 0o600) == 0 else { return }
        if size + off_t(line.count) <= off_t(Self.longest) {
            Self.append(line, to: opened, size, isLocked: isLocked)
        } else if isLocked {
            try? file.put(Self.shortened(Self.lines(opened, size), line))
        }
    }

    private static func append(_ line: [UInt8], to file: Int32, _ size: off_t, isLocked: Bool) {
        var line = line
        var last: UInt8 = 0x0A
        // A full disk or a crash may have left an incomplete line.
        if size > 0, pread(file, &last, 1, size - 1) == 1, last != 0x0A { line.insert(0x0A, at: 0) }
        let written = uninterrupted { write(file, line, line.count) }
        if isLocked, written > 0, written < line.count { _ = uninterrupted { ftruncate(file, size) } }
    }

    /// The last lines and the new one.
    private static func shortened(_ kept: [ArraySlice<UInt8>], _ line: [UInt8]) -> [UInt8] {
        var room = longest / 2 - line.count
        let last = kept.suffix(most - 1).reversed().prefix { line in
            room -= line.count + 1
            return room >= 0
        }
        return last.reversed().flatMap { $0 + [0x0A] } + line
    }
}
