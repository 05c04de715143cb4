/// The storage behind a store: the only code that differs between store types.
///
/// A caller that writes holds the lock of ``place(_:)``.
enum StoreBackend: Sendable {
    case file(path: String)
    case sealed(SealedStore)
    case keyring(KeyringStore)
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
        case .file, .keyring: break
        case .nowhere(let error): throw error
        }
    }

    /// The path that a part's lock is named after.
    func place(_ part: StorePart) throws(StoreError) -> ResolvedPath {
        switch self {
        case .file(let path): return try ResolvedPath(try Self.file(path, part))
        case .sealed(let store): return try ResolvedPath(store.path)
        case .keyring(let store): return try ResolvedPath(store.item(part).signal)
        case .nowhere(let error): throw error
        }
    }

    /// The whole content; nil if there is none.
    func read(_ part: StorePart) throws(StoreError) -> StoreContent? {
        switch self {
        case .file(let path):
            return try FileStore(path: try Self.file(path, part)).read()
        case .sealed(let store):
            guard let texts = try store.read() else { return nil }
            let bytes = texts[part]
            return bytes.isEmpty ? nil : StoreContent(bytes: bytes)
        case .keyring(let store): return try store.read(part).map { StoreContent(bytes: $0) }
        case .nowhere(let error): throw error
        }
    }

    /// Checks that tokens of this size could be written.
    ///
    /// - Returns: the reserved space; nil if the store type cannot reserve any.
    func reserve(_ size: Int, at place: ResolvedPath) throws(StoreError) -> WriteReservation? {
        switch self {
        case .file(let path): return try FileStore(path: path).reserve(size, at: place)
        case .sealed(let store): return try store.reserve(size, at: place)
        case .keyring(let store):
            try store.check(size)
            return nil
        case .nowhere(let error): throw error
        }
    }

    /// Replaces the content atomically.
    ///
    /// - Parameter reservation: reserved space for this write.
    func write(_ bytes: [UInt8], _ part: StorePart, at place: ResolvedPath, in reservation: WriteReservation? = nil)
        throws(StoreError)
    {
        switch self {
        case .file(let path): try FileStore(path: try Self.file(path, part)).write(bytes, at: place, in: reservation)
        case .sealed(let store):
            try store.write(at: place, in: reservation) { $0[part] = bytes }
        case .keyring(let store): try store.write(bytes, part, at: place)
        case .nowhere(let error): throw error
        }
    }

    /// Whether side files can have the same protection as the store.
    var keepsBeside: Bool {
        switch self {
        case .file, .sealed: true
        case .keyring, .nowhere: false
        }
    }

    /// Protects the content of a side file in the same way as the store; nil if that is impossible.
    func sealSideFile(_ text: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: text
        case .sealed(let store): try store.sealSideFile(text)
        case .keyring, .nowhere: nil
        }
    }

    /// The content of a side file; nil unless it was written by a program with access to the store.
    func openSideFile(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: bytes
        case .sealed(let store): try store.openSideFile(bytes)
        case .keyring, .nowhere: nil
        }
    }

    func warnings() -> [String] {
        switch self {
        case .file(let path): FileStore(path: path).warnings()
        case .sealed(let store): FileStore(path: store.path).warnings()
        case .keyring, .nowhere: []
        }
    }

    /// Side files are next to the link's target, so that all users of the store share them.
    private static func file(_ path: String, _ part: StorePart) throws(StoreError) -> String {
        part == .cache ? path : try ResolvedPath(path).file + part.suffix
    }
}
