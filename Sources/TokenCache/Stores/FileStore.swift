import Glibc
import Identity
import StrictJSON
import SystemPackage

/// read(2); within methods of that name it cannot be called directly.
private func readBytes(_ descriptor: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, place, count)
}

/// A store file, replaced by renaming a temporary file. A mount point cannot be renamed over: it is written in place.
struct FileStore: Sendable {
    let path: String

    /// The whole content; nil if there is no file. Uses read(2) instead of mmap: other writers truncate the file in
    /// place, which would invalidate mapped pages.
    func read() throws(StoreError) -> StoreContent? {
        guard let (descriptor, info) = try opened() else { return nil }
        defer { close(descriptor) }
        return try Self.content(of: descriptor, size: Int(info.st_size), path: path)
    }

    /// The entries of a large store that match a selection, as a store of their own; nil if the store must be read as a
    /// whole: it is small, it has changed, or a part is not enough.
    func read(only selection: AccountSelection) throws(StoreError) -> [UInt8]? {
        guard let (descriptor, info) = try opened() else { return nil }
        defer { close(descriptor) }
        guard info.st_size > StoreSize.large else { return nil }
        var selection = selection
        var walk = JSONEntryWalk(names: AccountSelection.fields) { selection.note($0) }
        let isWhole = walk.run { room in uninterrupted { readBytes(descriptor, room.baseAddress, room.count) } }
        guard isWhole else { return nil }
        let text = selection.text { offset, count in
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                used = max(0, uninterrupted { pread(descriptor, buffer.baseAddress, count, off_t(offset)) })
            }
            return bytes.count == count ? bytes : nil
        }
        // Other programs truncate in place: check that the file is unchanged.
        var after = stat()
        guard uninterrupted({ fstat(descriptor, &after) }) == 0, after.st_size == info.st_size,
            after.st_mtim.tv_sec == info.st_mtim.tv_sec, after.st_mtim.tv_nsec == info.st_mtim.tv_nsec
        else { return nil }
        return text
    }

    /// Opens the file for reading; the caller closes it. Nil if there is none.
    func opened() throws(StoreError) -> (descriptor: Int32, info: stat)? {
        let place = try ResolvedPath(path)
        let descriptor = uninterrupted { open(place.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard descriptor >= 0 else {
            if Errno.last.isAbsence { return nil }
            throw .system("open", path: path)
        }
        do throws(StoreError) {
            var info = stat()
            guard uninterrupted({ fstat(descriptor, &info) }) == 0 else { throw .system("stat", path: path) }
            try check(info)
            return (descriptor, info)
        } catch {
            close(descriptor)
            throw error
        }
    }

    func check(_ info: stat) throws(StoreError) {
        guard FileKind(info) == .regular else { throw StoreError(.notRegularFile, path: path) }
        guard info.st_uid == geteuid() else { throw StoreError(.wrongOwner(uid: info.st_uid), path: path) }
        let mode = UInt32(info.st_mode) & 0o7777
        guard mode & 0o022 == 0 else { throw StoreError(.writableByOthers(mode: mode), path: path) }
        guard info.st_size <= StoreSize.limit else { throw StoreError(.tooLarge(bytes: Int(info.st_size)), path: path) }
    }

    /// The only read into uninitialized memory: `used` counts the bytes that read(2) has filled.
    private static func content(of descriptor: Int32, size: Int, path: String) throws(StoreError) -> StoreContent {
        var fault: Errno?
        var screen = JSONByteScan()
        // One byte more, to detect a file that grows.
        let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, used in
            // Fewer page faults: halves the time to read a large store.
            if size >= 4 << 20, let base = buffer.baseAddress {
                let page = 2 << 20
                // MADV_HUGEPAGE, which the Glibc module does not export.
                let advice: Int32 = 14
                let start = (Int(bitPattern: base) + page - 1) & ~(page - 1)
                let end = (Int(bitPattern: base) + size) & ~(page - 1)
                if end > start { madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, advice) }
            }
            while used < size + 1, let base = buffer.baseAddress {
                let room = min(size + 1 - used, 262_144)
                let count = readBytes(descriptor, base + used, room)
                if count > 0 { screen.look(at: UnsafeRawBufferPointer(start: base + used, count: count)) }
                if count > 0 {
                    used += count
                } else if count == 0 {
                    break
                } else if Errno.last != .interrupted {
                    fault = .last
                    break
                }
            }
        }
        if let fault { throw .system("read", path: path, code: fault) }
        // The file grew during the read, so the content is torn; the caller tries again.
        guard bytes.count <= size else {
            throw StoreError(.notJSON(offset: size, what: "another program is writing it"), path: path)
        }
        return StoreContent(bytes: bytes, screen: screen)
    }

    /// Replaces the content: a new file next to it is written, synced and renamed, and the folder is synced. The caller
    /// holds the lock. On any error the old file is unchanged and no temporary file remains. A mount point is
    /// overwritten in place instead.
    ///
    /// - Parameter reservation: reserved space for this write; it is consumed in any case.
    func write(_ bytes: [UInt8], at place: ResolvedPath, in reservation: WriteReservation? = nil) throws(StoreError) {
        try refuseBeyondLimit(bytes.count)
        if try isMounted(place) { return try writeInPlace(bytes, at: place) }
        let folder = uninterrupted { open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw .system("open", path: path) }
        defer { close(folder) }
        Self.sweep(place)
        let aside = "\(place.name).tmp.\(getpid())"
        if let reserved = reservation?.take() {
            defer { close(reserved) }
            do throws(StoreError) {
                return try write(bytes, reserved: reserved, in: folder, as: aside, at: place)
            } catch {
                // Fall back to a new file.
            }
        }
        let descriptor = uninterrupted {
            openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw .system("create", path: path) }
        do throws(StoreError) {
            defer { close(descriptor) }
            // Independent of the umask.
            guard uninterrupted({ fchmod(descriptor, 0o600) }) == 0 else { throw .system("fchmod", path: path) }
            try Self.put(bytes, into: descriptor, path: path)
            Self.date(descriptor)
            guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .system("fsync", path: path) }
            guard uninterrupted({ renameat(folder, aside, folder, place.name) }) == 0 else {
                // A kernel that does not report mount points.
                guard Errno.last == .resourceBusy else { throw .system("rename", path: path) }
                _ = uninterrupted { unlinkat(folder, aside, 0) }
                return try writeInPlace(bytes, at: place)
            }
            // Again, as .NET's watcher reports changes only, not new files.
            Self.date(descriptor)
        } catch {
            _ = uninterrupted { unlinkat(folder, aside, 0) }
            throw error
        }
        // Some network file systems do not support this. The new file is in place, so no error is a reason to fail.
        _ = uninterrupted { fsync(folder) }
    }

    /// Same as above, for an existing file without a name.
    private func write(
        _ bytes: [UInt8], reserved descriptor: Int32, in folder: Int32, as aside: String, at place: ResolvedPath
    )
        throws(StoreError)
    {
        try Self.put(bytes, into: descriptor, path: path)
        guard uninterrupted({ ftruncate(descriptor, off_t(bytes.count)) }) == 0 else {
            throw .system("ftruncate", path: path)
        }
        Self.date(descriptor)
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .system("fsync", path: path) }
        guard
            uninterrupted({ linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", folder, aside, Int32(AT_SYMLINK_FOLLOW)) })
                == 0
        else {
            throw .system("link", path: path)
        }
        guard uninterrupted({ renameat(folder, aside, folder, place.name) }) == 0 else {
            let code = Errno.last
            _ = uninterrupted { unlinkat(folder, aside, 0) }
            throw .system("rename", path: path, code: code)
        }
        Self.date(descriptor)
        _ = uninterrupted { fsync(folder) }
    }

    /// Writes and syncs an invisible file of this size next to the store, to make sure that a later write will succeed.
    ///
    /// - Returns: the reserved space; nil if the file system requires a name, as the space was then released.
    func reserve(_ size: Int, at place: ResolvedPath) throws(StoreError) -> WriteReservation? {
        try refuseBeyondLimit(size)
        if try isMounted(place) {
            close(try openedInPlace(place, size: size))
            return nil
        }
        // O_TMPFILE, which the Glibc module does not export.
        let made = uninterrupted { open(place.folder, O_WRONLY | O_DIRECTORY | 0o20000000 | O_CLOEXEC, 0o600) }
        if made >= 0 {
            let reservation = WriteReservation(descriptor: made)
            try Self.fill(made, size, path: path)
            guard lseek(made, 0, SEEK_SET) == 0 else { throw .system("lseek", path: path) }
            return reservation
        }
        switch Errno.last {
        case .notSupportedOnSocket, .isDirectory, .invalidArgument, .noSuchFileOrDirectory: break
        case let code: throw .system("create", path: path, code: code)
        }
        Self.sweep(place)
        let aside = place.folder + "/\(place.name).tmp.\(getpid())"
        let named = uninterrupted { open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard named >= 0 else { throw .system("create", path: path) }
        defer {
            close(named)
            _ = uninterrupted { unlink(aside) }
        }
        try Self.fill(named, size, path: path)
        return nil
    }

    private static func fill(_ descriptor: Int32, _ size: Int, path: String) throws(StoreError) {
        guard uninterrupted({ fchmod(descriptor, 0o600) }) == 0 else { throw .system("fchmod", path: path) }
        try put([UInt8](repeating: 0x20, count: size), into: descriptor, path: path)
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .system("fsync", path: path) }
    }

    /// Checks the process's file size limit, which would otherwise kill it with a signal.
    private func refuseBeyondLimit(_ size: Int) throws(StoreError) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return }
        guard UInt64(limit.rlim_cur) < UInt64(size) else { return }
        throw StoreError(.io(.fileTooLarge, operation: "write"), path: path)
    }

    static func put(_ bytes: [UInt8], into descriptor: Int32, path: String) throws(StoreError) {
        var place = 0
        while place < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                Glibc.write(descriptor, raw.baseAddress.map { $0 + place }, bytes.count - place)
            }
            if count > 0 {
                place += count
            } else if count == 0 || Errno.last != .interrupted {
                throw .system("write", path: path)
            }
        }
    }

    /// Sets the time two seconds ahead: programs that record their load time after loading would otherwise miss the
    /// change.
    static func date(_ descriptor: Int32) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let times = [now, timespec(tv_sec: now.tv_sec + 2, tv_nsec: now.tv_nsec)]
        _ = futimens(descriptor, times)
    }

    /// Suffixes of files next to a store, each with its own lock; only `.moving` uses the store's.
    static let sideFiles = [".keys", ".moving", ".providers", ".throttle"]

    /// Removes temporary files of dead writers next to the store, and next to its side files, which may not be written
    /// again soon. The caller holds the lock, so no other writer is active; side files being written are skipped.
    static func sweep(_ place: ResolvedPath) {
        var sides: Set<String> = []
        FolderListing.walk(place.folder) { name in
            guard let dot = name.lastIndex(of: "."), let pid = Int32(name[dot...].dropFirst()), pid > 0,
                name[..<dot].hasSuffix(".tmp")
            else { return true }
            let written = name[..<dot].dropLast(".tmp".count)
            guard written.hasPrefix(place.name) else { return true }
            let side = String(written.dropFirst(place.name.count))
            if sideFiles.contains(side) { sides.insert(side) }
            guard side.isEmpty else { return true }
            var info = stat()
            let file = place.folder + "/" + name
            if lstat(file, &info) == 0, FileKind(info) == .regular, info.st_uid == geteuid() {
                _ = uninterrupted { unlink(file) }
            }
            return true
        }
        for side in sides {
            guard let beside = try? ResolvedPath(place.file + side) else { continue }
            try? StoreLock.holding(beside, wait: .zero) { () throws(StoreError) in sweep(beside) }
        }
    }

    /// Warnings about a usable file, each a lowercase line.
    func warnings() -> [String] {
        guard let place = try? ResolvedPath(path) else { return [] }
        var info = stat()
        guard lstat(place.file, &info) == 0, FileKind(info) == .regular else { return [] }
        var lines: [String] = []
        let mode = UInt32(info.st_mode) & 0o777
        if mode & 0o044 != 0 {
            lines.append(
                """
                \(path) can be read by others (mode 0\(String(mode, radix: 8))); the next write makes it 0600, or \
                run: chmod 600 \(path.shellWord)
                """
            )
        }
        if info.st_nlink > 1 {
            lines.append(
                "\(path) has \(info.st_nlink) names (hard links); after a write the other links keep the old content")
        }
        return lines
    }
}
