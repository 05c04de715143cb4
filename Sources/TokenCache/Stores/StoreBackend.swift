import Identity

/// The storage behind a store: the only code that differs between store types.
///
/// A caller that writes holds the lock of ``place(_:)``.
enum StoreBackend: Sendable {
    case file(path: String)
    case sealed(SealedStore)
    case keyring(KeyringStore)
    case attached(AttachedStore)
    /// An invalid store name; every call throws.
    case nowhere(StoreError)

    init(_ spec: StoreSpec, _ keys: StoreKeys) {
        switch spec {
        case .file(let path): self = .file(path: path)
        case .encrypted(let path): self = .sealed(SealedStore(path: path, keys: keys))
        case .keyring(let item): self = .keyring(KeyringStore(item: item))
        }
    }

    /// Prepares for a write before the lock is taken, as this can prompt for a passphrase.
    func prepare() throws(StoreError) {
        switch self {
        case .sealed(let store): try store.prepare()
        case .file, .keyring, .attached: break
        case .nowhere(let error): throw error
        }
    }

    /// Runs a short body while no other process writes to these parts and files, locked in this order.
    ///
    /// - Parameters:
    ///   - wait, limit, reservation: see ``StoreLock``.
    func holding<Value>(
        _ parts: [TokenStorePart], and files: [ResolvedPath] = [], wait: Duration, limit: Duration = .zero,
        in reservation: WriteReservation? = nil, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        if case .attached(let store) = self { return try store.holding(body) }
        var places: [ResolvedPath] = []
        for part in parts { places.append(try place(part)) }
        places += files
        for place in places { try place.makeFolder() }
        return try StoreLock.holding(places, wait: wait, limit: limit, in: reservation, body)
    }

    /// The name of a part in messages.
    func name(_ part: TokenStorePart) throws(StoreError) -> String {
        if case .attached(let store) = self { return store.name }
        return try place(part).file
    }

    /// The path that a part's lock is named after; an attached store has none.
    func place(_ part: TokenStorePart) throws(StoreError) -> ResolvedPath {
        switch self {
        case .file(let path): return try ResolvedPath(try Self.file(path, part))
        case .sealed(let store): return try ResolvedPath(store.path)
        case .keyring(let store): return try ResolvedPath(store.item(part).signal)
        case .attached(let store):
            throw StoreError(.noStore(why: "it is not in a file"), path: store.name)
        case .nowhere(let error): throw error
        }
    }

    /// The whole content; nil if there is none.
    func read(_ part: TokenStorePart) throws(StoreError) -> StoreContent? {
        switch self {
        case .file(let path):
            return try FileStore(path: try Self.file(path, part)).read()
        case .sealed(let store):
            guard let texts = try store.read() else { return nil }
            let bytes = texts[part]
            return bytes.isEmpty ? nil : StoreContent(bytes: bytes)
        case .keyring(let store): return try store.read(part).map { StoreContent(bytes: $0) }
        case .attached(let store): return try store.read(part).map { StoreContent(bytes: $0) }
        case .nowhere(let error): throw error
        }
    }

    /// Checks that tokens of this size could be written; the caller holds the lock.
    ///
    /// - Returns: the reserved space; nil if the store type cannot reserve any.
    func reserve(_ size: Int) throws(StoreError) -> WriteReservation? {
        switch self {
        case .file(let path): return try FileStore(path: path).reserve(size, at: try place(.cache))
        case .sealed(let store): return try store.reserve(size, at: try place(.cache))
        case .keyring(let store):
            try store.check(size)
            return nil
        case .attached: return nil
        case .nowhere(let error): throw error
        }
    }

    /// Replaces the content atomically; the caller holds the lock.
    ///
    /// - Parameter reservation: reserved space for this write.
    func write(_ bytes: [UInt8], _ part: TokenStorePart, in reservation: WriteReservation? = nil) throws(StoreError) {
        switch self {
        case .file(let path):
            try FileStore(path: try Self.file(path, part)).write(bytes, at: try place(part), in: reservation)
        case .sealed(let store):
            try store.write(at: try place(part), in: reservation) { $0[part] = bytes }
        case .keyring(let store): try store.write(bytes, part, at: try place(part))
        case .attached(let store): try store.write(bytes, part)
        case .nowhere(let error): throw error
        }
    }

    var isAttached: Bool {
        if case .attached = self { true } else { false }
    }

    /// Whether side files can have the same protection as the store.
    var keepsBeside: Bool {
        switch self {
        case .file, .sealed: true
        case .keyring, .attached, .nowhere: false
        }
    }

    /// Whether a side file can only be changed by a program with the store's key.
    var sealsBeside: Bool {
        if case .sealed = self { true } else { false }
    }

    /// Protects the content of a side file in the same way as the store; nil if that is impossible.
    func sealSideFile(_ text: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: text
        case .sealed(let store): try store.sealSideFile(text)
        case .keyring, .attached, .nowhere: nil
        }
    }

    /// The content of a side file; nil unless it was written by a program with access to the store.
    func openSideFile(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: bytes
        case .sealed(let store): try store.openSideFile(bytes)
        case .keyring, .attached, .nowhere: nil
        }
    }

    func warnings() -> [String] {
        switch self {
        case .file(let path): FileStore(path: path).warnings()
        case .sealed(let store): FileStore(path: store.path).warnings()
        case .keyring, .attached, .nowhere: []
        }
    }

    /// Side files are next to the link's target, so that all users of the store share them.
    private static func file(_ path: String, _ part: TokenStorePart) throws(StoreError) -> String {
        part == .cache ? path : try ResolvedPath(path).file + part.suffix
    }
}
