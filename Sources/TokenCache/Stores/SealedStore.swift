import Crypto
import FoundationEssentials

/// A store in a file that is sealed with AES-256-GCM under a key of its own.
///
/// After the ``SealedHeader`` come a nonce (12 bytes, new at each write), the sealed texts and the tag (16 bytes);
/// header and nonce are associated data. Sealed is the length of the tokens' text (4 bytes, big-endian), that text, and
/// the text of the proof keys: both texts are replaced at once. An old file put back is not noticed: that takes a place
/// to remember the newest in, which the file's folder is not.
struct SealedStore: Sendable {
    let path: String
    let keys: StoreKeys

    private static let nonceLength = 12
    private static let tagLength = 16

    /// The texts of a store.
    struct Texts {
        var cache: [UInt8]
        var proofKeys: [UInt8]
    }

    /// The header, as it is now; nil when there is no file.
    func header() throws(StoreError) -> SealedHeader? { try file().map(\.header) }

    /// The texts; nil when there is no file.
    ///
    /// - Throws: what ``FileStore`` does; `damaged`, `newer`; `passphraseNeeded` and `wrongPassphrase` from
    ///   ``StoreKeys``.
    func read() throws(StoreError) -> Texts? {
        guard let (header, sealed) = try file() else { return nil }
        return try Self.open(sealed, header, with: try keys.key(of: header, path: path), path: path)
    }

    /// Gets hold of the key before the lock is taken: a person may be asked, and nobody is to wait for that with the
    /// store locked.
    func prepare() throws(StoreError) {
        if let header = try header() { _ = try keys.key(of: header, path: path) } else { _ = try keys.new(path: path) }
    }

    /// Changes the texts; the caller holds the lock. A store that is not there yet is made, under the key that
    /// ``prepare()`` got.
    func write(at place: ResolvedPath, in reservation: WriteReservation? = nil, _ body: (inout Texts) -> Void)
        throws(StoreError)
    {
        var texts = Texts(cache: [], proofKeys: [])
        let header: SealedHeader
        let key: SymmetricKey
        if let (found, sealed) = try file() {
            header = found
            key = try keys.key(of: found, path: path)
            texts = try Self.open(sealed, found, with: key, path: path)
        } else {
            (header, key) = try keys.new(path: path)
        }
        body(&texts)
        try put(texts, header, key, at: place, in: reservation)
        keys.remember(key, of: header)
    }

    /// Encrypts everything again under another key and header; the caller holds the lock.
    func rekey(to header: SealedHeader, _ key: SymmetricKey, at place: ResolvedPath) throws(StoreError) {
        guard let texts = try read() else { throw StoreError(.empty, path: path) }
        try put(texts, header, key, at: place)
        keys.remember(key, of: header)
    }

    /// Takes space for a file whose tokens have this size.
    func reserve(_ size: Int, at place: ResolvedPath) throws(StoreError) -> WriteReservation? {
        let proofKeys = try read()?.proofKeys.count ?? 0
        let around = SealedHeader.fixedLength + SealedHeader.maximumWrapped + Self.nonceLength + 4 + Self.tagLength
        return try FileStore(path: path).reserve(size + proofKeys + around, at: place)
    }

    private func put(
        _ texts: Texts, _ header: SealedHeader, _ key: SymmetricKey, at place: ResolvedPath,
        in reservation: WriteReservation? = nil
    )
        throws(StoreError)
    {
        let bytes = try Self.seal(texts, header, with: key, path: path)
        guard bytes.count <= StoreSize.maximum else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        // What could not be opened again must never take the old file's place.
        let (again, sealed) = try Self.split(bytes, path: path)
        guard again == header else { throw StoreError(.damaged("its new header cannot be read back"), path: path) }
        _ = try Self.open(sealed, again, with: key, path: path)
        try FileStore(path: path).write(bytes, at: place, in: reservation)
    }

    // MARK: A file beside it

    /// Seals a text under the store's key, for a file beside the store: nonce, sealed text and tag, as for the store
    /// itself; associated data are the name of the key and what the text is.
    ///
    /// - Returns: nil while there is no store, or it is locked: nobody is asked for its key.
    func sealBeside(_ text: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard let header = try header(), keys.isHeld(header) else { return nil }
        let key = try keys.key(of: header, path: path)
        return try? AES.GCM.seal(text, using: key, authenticating: Self.besideData(header)).combined.map(Array.init)
    }

    /// The text of such a file; nil when it was sealed under another key, for another purpose or not at all, or while
    /// the store is locked.
    func openBeside(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard let header = try header(), keys.isHeld(header), let box = try? AES.GCM.SealedBox(combined: bytes) else {
            return nil
        }
        let key = try keys.key(of: header, path: path)
        return try? Array(AES.GCM.open(box, using: key, authenticating: Self.besideData(header)))
    }

    private static func besideData(_ header: SealedHeader) -> [UInt8] { header.keyName + Array("foyer providers".utf8) }

    // MARK: The format

    private func file() throws(StoreError) -> (header: SealedHeader, sealed: ArraySlice<UInt8>)? {
        guard let content = try FileStore(path: path).read() else { return nil }
        guard !content.bytes.isEmpty else { throw StoreError(.empty, path: path) }
        return try Self.split(content.bytes, path: path)
    }

    static func split(_ file: [UInt8], path: String) throws(StoreError) -> (
        header: SealedHeader, sealed: ArraySlice<UInt8>
    ) {
        let header = try SealedHeader(file, path: path)
        let sealed = file[(SealedHeader.fixedLength + header.wrapped.count)...]
        guard sealed.count >= nonceLength + 4 + tagLength else {
            throw StoreError(.damaged("it is cut off"), path: path)
        }
        return (header, sealed)
    }

    static func seal(_ texts: Texts, _ header: SealedHeader, with key: SymmetricKey, path: String) throws(StoreError)
        -> [UInt8]
    {
        guard let length = UInt32(exactly: texts.cache.count) else {
            throw StoreError(.tooLarge(bytes: texts.cache.count), path: path)
        }
        let clear = withUnsafeBytes(of: length.bigEndian, Array.init) + texts.cache + texts.proofKeys
        do {
            let nonce = AES.GCM.Nonce()
            let box = try AES.GCM.seal(clear, using: key, nonce: nonce, authenticating: header.bytes + Array(nonce))
            return header.bytes + Array(nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch { throw StoreError(.damaged("it cannot be encrypted"), path: path) }
    }

    static func open(_ sealed: ArraySlice<UInt8>, _ header: SealedHeader, with key: SymmetricKey, path: String)
        throws(StoreError) -> Texts
    {
        let clear: Data
        do {
            let nonce = sealed.prefix(nonceLength)
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropFirst(nonceLength).dropLast(tagLength),
                tag: sealed.suffix(tagLength))
            clear = try AES.GCM.open(box, using: key, authenticating: header.bytes + Array(nonce))
        } catch {
            throw StoreError(.damaged("its seal is broken: it was changed, cut off, or is another file's"), path: path)
        }
        let length = clear.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard clear.count >= 4, length <= clear.count - 4 else {
            throw StoreError(.damaged("its texts have the wrong length"), path: path)
        }
        let texts = clear.dropFirst(4)
        return Texts(cache: Array(texts.prefix(length)), proofKeys: Array(texts.dropFirst(length)))
    }
}
