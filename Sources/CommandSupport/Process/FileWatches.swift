import CLinux
import Glibc
import SystemPackage
import TokenCache

/// Files that are watched for changes by inotify(7). A file may be missing, as may its folder; it may be replaced, and
/// be reached through links. That a folder further up was moved is not noticed.
///
/// Where the kernel reports no changes, because its limits are reached or another host may make them, the file's state
/// must be compared at intervals: see ``needsComparison``.
struct FileWatches: ~Copyable {
    /// A watched folder and the next name on the path: the file's, or that of a folder that is missing.
    private struct WatchedName: Hashable {
        let watch: Int32
        let name: String
    }

    private struct File {
        var places: [WatchedName] = []
        var isCompared = false
        /// When last compared.
        var state: FileState?
    }

    private struct FileState: Hashable {
        let identity: FileIdentity
        let size: off_t
        let times: [Int]

        /// Nil if the file does not exist or may not be read.
        init?(_ path: String) {
            var info = stat()
            guard uninterrupted({ stat(path, &info) }) == 0 else { return nil }
            identity = FileIdentity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
            size = info.st_size
            times = [info.st_mtim, info.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
        }
    }

    static let most = 256
    private static let mostLinks = 8
    private static let mask = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR)
    /// The folder itself has gone.
    private static let goneMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

    /// Readable after changes; negative if the kernel reports none.
    let descriptor: Int32
    private var files: [String: File] = [:]
    private var watches: Set<Int32> = []

    init() { self.init(descriptor: inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))) }

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether ``changes()`` must be called at intervals as well.
    var needsComparison: Bool { files.values.contains(where: \.isCompared) }

    /// Has no effect if the file is already watched, or too many are.
    mutating func watch(_ path: String) {
        guard files[path] == nil, files.count < Self.most else { return }
        arm(path)
    }

    /// The paths of files that may have changed since the last call.
    mutating func changes() -> Set<String> {
        var found = reported()
        for (path, file) in files where file.isCompared && file.state != FileState(path) { found.insert(path) }
        guard !found.isEmpty else { return [] }
        // A folder was created or removed, or a link leads elsewhere.
        for path in found { arm(path) }
        let used = Set(files.values.flatMap { $0.places.map(\.watch) })
        for watch in watches.subtracting(used) { _ = inotify_rm_watch(descriptor, watch) }
        watches = used
        return found
    }

    private mutating func arm(_ path: String) {
        var file = File()
        for link in Self.links(from: path) {
            guard let (place, folder) = add(link) else {
                file.isCompared = true
                continue
            }
            file.places.append(place)
            file.isCompared = file.isCompared || foyer_is_shared_file_system(folder)
        }
        if file.isCompared { file.state = FileState(path) }
        files[path] = file
    }

    /// The absolute path, and where it leads if it is a link.
    private static func links(from path: String) -> [String] {
        var links = [path.hasPrefix("/") ? path : (currentFolder() ?? "") + "/" + path]
        while links.count <= mostLinks, let target = linkTarget(links[links.count - 1]) {
            links.append(target.hasPrefix("/") ? target : split(links[links.count - 1]).folder + "/" + target)
        }
        return links
    }

    /// The folder and the name of an absolute path; no name for the root. `SystemPackage` does the same at 300,000
    /// instructions for its first path.
    private static func split(_ path: String) -> (folder: String, name: String) {
        let slash = UInt8(ascii: "/")
        guard let last = path.utf8.lastIndex(where: { $0 != slash }) else { return ("/", "") }
        let path = path.utf8[...last]
        guard let before = path.lastIndex(of: slash) else { return ("/", String(Substring(path))) }
        let folder = before == path.startIndex ? "/" : String(Substring(path[..<before]))
        return (folder, String(Substring(path[path.index(after: before)...])))
    }

    /// Watches the file's folder, or the nearest existing one above it; nil if the kernel refuses.
    private mutating func add(_ file: String) -> (WatchedName, folder: String)? {
        guard descriptor >= 0 else { return nil }
        var last: WatchedName?
        while true {
            var (folder, name) = Self.split(file)
            var watch = inotify_add_watch(descriptor, folder, Self.mask)
            var isWhole = true
            while watch < 0, Errno.last.isAbsence, folder != "/" {
                (folder, name) = Self.split(folder)
                watch = inotify_add_watch(descriptor, folder, Self.mask)
                isWhole = false
            }
            guard watch >= 0 else { return nil }
            watches.insert(watch)
            let place = WatchedName(watch: watch, name: name)
            // The missing folder may have been created before its parent was watched.
            if isWhole || place == last || access(folder + "/" + name, F_OK) != 0 {
                return (place, folder)
            }
            last = place
        }
    }

    // MARK: The kernel's reports

    private func reported() -> Set<String> {
        guard descriptor >= 0 else { return [] }
        var found: Set<String> = []
        Self.drain(descriptor) { events in
            var rest = events
            let head = MemoryLayout<inotify_event>.size
            while rest.count >= head {
                let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
                let name = rest.dropFirst(head).prefix(Int(event.len)).prefix { $0 != 0 }
                found.formUnion(paths(of: event, String(decoding: name, as: UTF8.self)))
                rest = rest.dropFirst(head + Int(event.len))
            }
        }
        return found
    }

    private func paths(of event: inotify_event, _ name: String) -> [String] {
        // Events were lost.
        guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else { return Array(files.keys) }
        let isGone = event.mask & Self.goneMask != 0
        return files.filter { _, file in
            file.places.contains { $0.watch == event.wd && (isGone || $0.name == name) }
        }.map(\.key)
    }

    /// Reads all pending notifications.
    ///
    /// - Returns: whether there were any. A clock change and a queue overflow are reported as errors.
    @discardableResult
    static func drain(_ file: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        guard file >= 0 else { return false }
        var isAny = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<64 {
            let count = read(file, &buffer, buffer.count)
            if count > 0 {
                isAny = true
                take(buffer[..<count])
            } else {
                let error = Errno.last
                guard count < 0, error == .canceled || error == .noBufferSpace || error == .interrupted else { break }
                isAny = isAny || error != .interrupted
            }
        }
        return isAny
    }
}
