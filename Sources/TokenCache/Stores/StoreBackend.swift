/// What holds a store's texts: the one place where the kinds of store differ.
///
/// A caller that writes holds the lock of ``place(_:)``.
enum StoreBackend: Sendable {
    case file(path: String)
    case sealed(SealedStore)
    case keyring(KeyringStore)
    /// There is no store: what was named is none.
    case nowhere(StoreError)

    init(_ spec: StoreSpec, _ keys: StoreKeys) {
        switch spec {
        case .file(let path): self = .file(path: path)
        case .encrypted(let path): self = .sealed(SealedStore(path: path, keys: keys))
        case .keyring(let item): self = .keyring(KeyringStore(item: item))
        }
    }

    /// Gets ready to write before the lock is taken: a person may be asked for a passphrase, and nobody is to wait for
    /// that.
    func prepare() throws(StoreError) {
        switch self {
        case .sealed(let store): try store.prepare()
        case .file, .keyring: break
        case .nowhere(let error): throw error
        }
    }

    /// What the lock of a part is named after.
    func place(_ part: StorePart) throws(StoreError) -> ResolvedPath {
        switch self {
        case .file(let path): return try ResolvedPath(try Self.file(path, part))
        case .sealed(let store): return try ResolvedPath(store.path)
        case .keyring(let store): return try ResolvedPath(store.item(part).signal)
        case .nowhere(let error): throw error
        }
    }

    /// The whole text; nil when there is none.
    func read(_ part: StorePart) throws(StoreError) -> StoreContent? {
        switch self {
        case .file(let path):
            return try FileStore(path: try Self.file(path, part)).read()
        case .sealed(let store):
            guard let texts = try store.read() else { return nil }
            let bytes = part == .cache ? texts.cache : texts.proofKeys
            return bytes.isEmpty ? nil : StoreContent(bytes: bytes)
        case .keyring(let store): return try store.read(part).map { StoreContent(bytes: $0) }
        case .nowhere(let error): throw error
        }
    }

    /// Finds out whether a text of a size could take the place of the tokens' old one.
    ///
    /// - Returns: the space that was taken for it; nil where none can be.
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

    /// Puts a text in the place of the old one: it is the old or the new at any moment.
    ///
    /// - Parameter reservation: space that was taken for it.
    func write(_ bytes: [UInt8], _ part: StorePart, at place: ResolvedPath, in reservation: WriteReservation? = nil)
        throws(StoreError)
    {
        switch self {
        case .file(let path): try FileStore(path: try Self.file(path, part)).write(bytes, at: place, in: reservation)
        case .sealed(let store):
            try store.write(at: place, in: reservation) { texts in
                if part == .cache { texts.cache = bytes } else { texts.proofKeys = bytes }
            }
        case .keyring(let store): try store.write(bytes, part, at: place)
        case .nowhere(let error): throw error
        }
    }

    /// Whether files that lie beside the store can be protected as it is.
    var keepsBeside: Bool {
        switch self {
        case .file, .sealed: true
        case .keyring, .nowhere: false
        }
    }

    /// A text for a file beside the store, protected as the store is; nil where it cannot be.
    func sealBeside(_ text: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: text
        case .sealed(let store): try store.sealBeside(text)
        case .keyring, .nowhere: nil
        }
    }

    /// The text of such a file; nil when nobody who may change the store wrote it.
    func openBeside(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        switch self {
        case .file: bytes
        case .sealed(let store): try store.openBeside(bytes)
        case .keyring, .nowhere: nil
        }
    }

    /// What a person should know, though it works.
    func warnings() -> [String] {
        switch self {
        case .file(let path): FileStore(path: path).warnings()
        case .sealed(let store): FileStore(path: store.path).warnings()
        case .keyring, .nowhere: []
        }
    }

    /// Side files lie beside the file itself, links followed, so that all who use the store find one.
    private static func file(_ path: String, _ part: StorePart) throws(StoreError) -> String {
        switch part {
        case .cache: path
        case .proofKeys: try ResolvedPath(path).file + ".keys"
        }
    }
}
