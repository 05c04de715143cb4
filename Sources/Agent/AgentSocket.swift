package import CommandSupport
import Glibc
import Identity
import SystemPackage
import TokenCache

/// The agent's listening socket: inherited from systemd or from this agent's previous executable, or else created at
/// its default path.
package struct AgentSocket: Sendable {
    package let descriptor: Int32
    package let place: AgentPlace
    package let isOwn: Bool
    /// The file's identity, to detect that the path now leads elsewhere.
    let identity: FileIdentity?
    /// Held while the process lives; nil for a socket from systemd.
    private let lock: Int32?

    private static let backlog: Int32 = 128

    /// Another agent listens there.
    package struct AlreadyRunning: Error {}

    /// Creates it.
    ///
    /// - Throws: `configuration` if no socket can be created there; ``AlreadyRunning``.
    init(at place: AgentPlace) throws {
        try place.prepareFolder()
        let lock = try Self.hold(place)
        do {
            try Self.clear(place)
            let descriptor = try Self.listen(place)
            self.init(
                descriptor: descriptor, place: place, isOwn: true, identity: FileIdentity(ofPath: place.path),
                lock: lock)
        } catch {
            close(lock)
            throw error
        }
    }

    private init(descriptor: Int32, place: AgentPlace, isOwn: Bool, identity: FileIdentity?, lock: Int32?) {
        self.descriptor = descriptor
        self.place = place
        self.isOwn = isOwn
        self.identity = identity
        self.lock = lock
    }

    /// Whether the path still leads to this socket: the runtime directory is removed when the session ends.
    package var isReachable: Bool { identity == FileIdentity(ofPath: place.path) }

    package func remove() {
        if isOwn, isReachable { unlink(place.path) }
        if let lock { close(lock) }
    }

    // MARK: Handed over

    /// Adopts an inherited descriptor.
    ///
    /// - Returns: nil unless it is a Unix stream socket that listens at a path.
    init?(handedOver descriptor: Int32, isOwn: Bool) {
        guard let path = Self.listeningPath(descriptor) else { return nil }
        let place = AgentPlace(path: path)
        self.init(
            descriptor: descriptor, place: place, isOwn: isOwn, identity: FileIdentity(ofPath: path),
            lock: isOwn ? try? Self.hold(place) : nil)
    }

    /// The path of a listening Unix stream socket; nil for any other descriptor.
    private static func listeningPath(_ descriptor: Int32) -> String? {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        guard option(SO_ACCEPTCONN) == 1, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            option(SO_DOMAIN) == AF_UNIX
        else { return nil }
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) } == 0
        }
        guard isNamed else { return nil }
        let path = withUnsafeBytes(of: address.sun_path) { room in
            String(decoding: room.prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.hasPrefix("/") ? path : nil
    }

    // MARK: Made here

    /// If two agents start together, only the lock holder continues.
    private static func hold(_ place: AgentPlace) throws -> Int32 {
        do throws(Errno) { return try FileLock(place.lockPath).takeFile() } catch {
            guard error != .wouldBlock else { throw AlreadyRunning() }
            throw trouble(place.lockPath, error)
        }
    }

    /// Removes the socket of an agent that died. The caller holds the lock.
    private static func clear(_ place: AgentPlace) throws {
        var info = stat()
        guard lstat(place.path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid() else {
            throw Failure(.configuration, "\(place.path) exists and is not your socket", hint: "move it away")
        }
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { throw trouble(place.path) }
        defer { close(file) }
        let answer = place.withAddress { address, length in uninterrupted { connect(file, address, length) } }
        // A listener that takes no lock, such as systemd before it starts the agent.
        guard answer != 0 else { throw AlreadyRunning() }
        guard Errno.last == .connectionRefused else { throw trouble(place.path) }
        unlink(place.path)
    }

    private static func listen(_ place: AgentPlace) throws -> Int32 {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { throw trouble(place.path) }
        // Only this user can enter the directory, so the socket's initial mode does not matter.
        let isBound = place.withAddress { address, length in bind(file, address, length) == 0 } ?? false
        guard isBound, chmod(place.path, 0o600) == 0, Glibc.listen(file, backlog) == 0 else {
            let failure = trouble(place.path)
            close(file)
            throw failure
        }
        return file
    }

    private static func trouble(_ path: String, _ error: Errno = .last) -> Failure {
        Failure(.configuration, "\(path): \(error)", hint: "cannot create the agent's socket there")
    }
}
