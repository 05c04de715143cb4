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

    /// The size of the content, after reading all of it in pieces; nil if there is no file.
    func readableSize() throws(StoreError) -> Int? {
        guard let (descriptor, info) = try opened() else { return nil }
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: 262_144)
        var size = 0
        while true {
            let count = uninterrupted { readBytes(descriptor, &piece, piece.count) }
            guard count >= 0 else { throw .system("read", path: path, code: .last) }
            guard count > 0 else { return size }
            size += count
            guard size <= Int(info.st_size) else { throw Self.grew(Int(info.st_size), path) }
        }
    }

    private static func grew(_ size: Int, _ path: String) -> StoreError {
        StoreError(.notJSON(offset: size, what: "another program is writing it"), path: path)
    }

    /// The entries of a store that match a selection, as a store of their own; nil if the store must be read as a
    /// whole: it is small, it has changed, or a part is not enough.
    func read(only selection: AccountSelection) throws(StoreError) -> [UInt8]? {
        guard let (descriptor, info) = try opened() else { return nil }
        defer { close(descriptor) }
        guard info.st_size > StoreSize.selected else { return nil }
        var selection = selection
        var walk = JSONEntryWalk(names: AccountSelection.fields)
        let isWhole = walk.run { room in
            uninterrupted { readBytes(descriptor, room.baseAddress, room.count) }
        } visit: {
            selection.note($0)
        }
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
        guard let opened = try ResolvedPath(path).opened() else { return nil }
        do throws(StoreError) { try checkSize(opened.info) } catch {
            close(opened.descriptor)
            throw error
        }
        return opened
    }

    func checkSize(_ info: stat) throws(StoreError) {
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
        guard bytes.count <= size else { throw grew(size, path) }
        return StoreContent(bytes: bytes, screen: screen)
    }

    /// Replaces the content: a new file next to it is written, synced and renamed, and the folder is synced. The caller
    /// holds the lock. On any error the old file is unchanged and no temporary file remains. A mount point is
    /// overwritten in place instead.
    ///
    /// - Parameter reservation: reserved space for this write; it is consumed in any case.
    func write(_ bytes: [UInt8], at place: ResolvedPath, in reservation: WriteReservation? = nil) throws(StoreError) {
        try refuseBeyondLimit(bytes.count)
        try place.checkReplaceable()
        if try isMounted(place) { return try writeInPlace(bytes, at: place) }
        let folder = uninterrupted { open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw .system("open", path: path) }
        defer { close(folder) }
        Self.sweep(place)
        let aside = Self.aside(place)
        func replace(in descriptor: Int32, isNameless: Bool) throws(AtomicFile.Problem) {
            try AtomicFile.replace(
                place.name, with: bytes, in: descriptor, aside, folder: folder, isNameless: isNameless,
                touch: Self.date)
            // Again, as .NET's watcher reports changes only, not new files.
            Self.date(descriptor)
        }
        if let reserved = reservation?.take() {
            defer { close(reserved) }
            // If it fails, a new file is tried.
            if (try? replace(in: reserved, isNameless: true)) != nil { return }
        }
        let descriptor = try makeAside(aside, in: folder)
        defer { close(descriptor) }
        do throws(AtomicFile.Problem) { try replace(in: descriptor, isNameless: false) } catch {
            // A kernel that does not report mount points.
            guard error == .init(operation: "rename", code: .resourceBusy) else { throw .system(error, path: path) }
            try writeInPlace(bytes, at: place)
        }
    }

    private static func aside(_ place: ResolvedPath) -> String { "\(place.name).tmp.\(getpid())" }

    /// - Returns: the new temporary file, open for writing; the caller closes it.
    private func makeAside(_ aside: String, in folder: Int32 = AT_FDCWD) throws(StoreError) -> Int32 {
        let made = uninterrupted {
            openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard made >= 0 else { throw .system("create", path: path) }
        do throws(StoreError) { try makePrivate(made) } catch {
            _ = uninterrupted { unlinkat(folder, aside, 0) }
            close(made)
            throw error
        }
        return made
    }

    /// Mode 0600, independent of the umask.
    private func makePrivate(_ descriptor: Int32) throws(StoreError) {
        guard uninterrupted({ fchmod(descriptor, 0o600) }) == 0 else { throw .system("fchmod", path: path) }
    }

    /// Makes this the whole content of an open file, and syncs it.
    func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(StoreError) {
        do throws(AtomicFile.Problem) { try AtomicFile.fill(descriptor, with: bytes) } catch {
            throw .system(error, path: path)
        }
    }

    private func fill(_ descriptor: Int32, blanks size: Int) throws(StoreError) {
        do throws(AtomicFile.Problem) { try AtomicFile.fill(descriptor, blanks: size) } catch {
            throw .system(error, path: path)
        }
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
            let reservation = WriteReservation(
                descriptor: made,
                lock: WholeLockFile.makeNameless(
                    in: place.folder, LockSignature.own([place.file + StoreLock.suffix])),
                in: place.folder)
            try makePrivate(made)
            try fill(made, blanks: size)
            return reservation
        }
        switch Errno.last {
        case .notSupportedOnSocket, .isDirectory, .invalidArgument, .noSuchFileOrDirectory: break
        case let code: throw .system("create", path: path, code: code)
        }
        Self.sweep(place)
        let aside = place.folder + "/" + Self.aside(place)
        let named = try makeAside(aside)
        defer {
            close(named)
            _ = uninterrupted { unlink(aside) }
        }
        try fill(named, blanks: size)
        return nil
    }

    /// Checks the process's file size limit, which would otherwise kill it with a signal.
    private func refuseBeyondLimit(_ size: Int) throws(StoreError) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return }
        guard UInt64(limit.rlim_cur) < UInt64(size) else { return }
        throw StoreError(.io(.fileTooLarge, operation: "write"), path: path)
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
    static let sideFiles = [".keys", ".moving", ".providers", ".secrets", ".throttle"]

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
