import Crypto
import FoundationEssentials
import Identity

/// A store in a file encrypted with AES-256-GCM under its own key.
///
/// The ``SealedHeader`` is followed by a nonce (12 bytes, new for each write), the ciphertext and the tag (16 bytes);
/// header and nonce are associated data. The plaintext is the length of the tokens (4 bytes, big-endian), the tokens,
/// the proof keys and, if there are any, a zero byte and the client secrets; all are always replaced together. A
/// rollback to an older file is not detected: that would need storage outside the file's folder.
struct SealedStore: Sendable {
    let path: String
    let keys: StoreKeys
    /// The key for a write that was reserved before.
    var lease: StoreKeyLease?

    private static let nonceLength = 12
    private static let tagLength = 16

    /// The decrypted content.
    struct Texts {
        private var parts: [TokenStorePart: [UInt8]] = [:]

        subscript(_ part: TokenStorePart) -> [UInt8] {
            get { parts[part] ?? [] }
            set { parts[part] = newValue }
        }
    }

    func header() throws(StoreError) -> SealedHeader? { try file().map(\.header) }

    /// The decrypted content; nil if there is no file.
    ///
    /// - Throws: errors of ``FileStore``; `damaged`, `newer`; `passphraseNeeded` and `wrongPassphrase` from
    ///   ``StoreKeys``.
    func read() throws(StoreError) -> Texts? {
        guard let (header, sealed) = try file() else { return nil }
        return try Self.open(sealed, header, with: try key(of: header), path: path)
    }

    private func key(of header: SealedHeader) throws(StoreError) -> SymmetricKey {
        if let lease, lease.keyName == header.keyName { return lease.key }
        return try keys.key(of: header, path: path)
    }

    /// Gets the key before the lock is taken: a passphrase prompt must not keep the store locked.
    func prepare() throws(StoreError) {
        if let header = try header() { _ = try key(of: header) } else { _ = try keys.new(path: path) }
    }

    /// Changes the content; the caller holds the lock. Creates a missing store with the key from ``prepare()``.
    func write(at place: ResolvedPath, in reservation: WriteReservation? = nil, _ body: (inout Texts) -> Void)
        throws(StoreError)
    {
        var texts = Texts()
        let header: SealedHeader
        let key: SymmetricKey
        var isNew = false
        if let (found, sealed) = try file() {
            header = found
            key = try self.key(of: found)
            texts = try Self.open(sealed, found, with: key, path: path)
        } else {
            (header, key) = try keys.new(path: path)
            isNew = true
        }
        body(&texts)
        try put(texts, header, key, at: place, in: reservation)
        // The key of an existing store is not put back: a write must not undo a lock.
        if isNew { try keys.remember(key, of: header, path: path) }
    }

    /// Encrypts everything again with another key and header; the caller holds the lock.
    func rekey(to header: SealedHeader, _ key: SymmetricKey, at place: ResolvedPath) throws(StoreError) {
        guard let texts = try read() else { throw StoreError(.empty, path: path) }
        try put(texts, header, key, at: place)
        try keys.remember(key, of: header, path: path)
    }

    /// Reserves space for a file with tokens of this size.
    func reserve(_ size: Int, at place: ResolvedPath) throws(StoreError) -> WriteReservation? {
        let others = try read().map { $0[.proofKeys].count + 1 + $0[.clientSecrets].count } ?? 0
        let around = SealedHeader.fixedLength + SealedHeader.maximumWrapped + Self.nonceLength + 4 + Self.tagLength
        let reservation = try FileStore(path: path).reserve(size + others + around, at: place) ?? WriteReservation()
        if let header = try header() {
            reservation.hold(StoreKeyLease(keyName: header.keyName, key: try keys.key(of: header, path: path)))
        }
        return reservation
    }

    private func put(
        _ texts: Texts, _ header: SealedHeader, _ key: SymmetricKey, at place: ResolvedPath,
        in reservation: WriteReservation? = nil
    )
        throws(StoreError)
    {
        let bytes = try Self.seal(texts, header, with: key, path: path)
        guard bytes.count <= StoreSize.maximum else { throw StoreError(.tooLarge(bytes: bytes.count), path: path) }
        // Never replace the old file with one that could not be decrypted again.
        let (again, sealed) = try Self.split(bytes, path: path)
        guard again == header else { throw StoreError(.damaged("its new header cannot be read back"), path: path) }
        _ = try Self.open(sealed, again, with: key, path: path)
        try FileStore(path: path).write(bytes, at: place, in: reservation)
    }

    // MARK: Side files

    /// Encrypts a side file with the store's key: nonce, ciphertext and tag; the associated data are the key's name and
    /// the purpose.
    ///
    /// - Returns: nil while there is no store or it is locked, as this never prompts.
    func sealSideFile(_ text: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard let header = try header(), try keys.isHeld(header, path: path) else { return nil }
        let key = try keys.key(of: header, path: path)
        return try? AES.GCM.seal(text, using: key, authenticating: Self.sideFileKey(header)).combined.map(Array.init)
    }

    /// Decrypts a side file; nil if it has another key or purpose or is not encrypted, or while the store is locked.
    func openSideFile(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard let header = try header(), try keys.isHeld(header, path: path),
            let box = try? AES.GCM.SealedBox(combined: bytes)
        else {
            return nil
        }
        let key = try keys.key(of: header, path: path)
        return try? Array(AES.GCM.open(box, using: key, authenticating: Self.sideFileKey(header)))
    }

    private static func sideFileKey(_ header: SealedHeader) -> [UInt8] {
        header.keyName + Array("foyer providers".utf8)
    }

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
            throw StoreError(.damaged("it is truncated"), path: path)
        }
        return (header, sealed)
    }

    static func seal(_ texts: Texts, _ header: SealedHeader, with key: SymmetricKey, path: String) throws(StoreError)
        -> [UInt8]
    {
        let (cache, secrets) = (texts[.cache], texts[.clientSecrets])
        guard let length = UInt32(exactly: cache.count) else {
            throw StoreError(.tooLarge(bytes: cache.count), path: path)
        }
        var clear = withUnsafeBytes(of: length.bigEndian, Array.init) + cache + texts[.proofKeys]
        // JSON contains no zero byte.
        if !secrets.isEmpty { clear += [0] + secrets }
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
            throw StoreError(.damaged("authentication failed: modified, truncated, or the wrong file"), path: path)
        }
        let length = clear.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard clear.count >= 4, length <= clear.count - 4 else {
            throw StoreError(.damaged("wrong content length"), path: path)
        }
        let rest = clear.dropFirst(4 + length)
        let proofKeys = rest.prefix { $0 != 0 }
        var texts = Texts()
        texts[.cache] = Array(clear.dropFirst(4).prefix(length))
        texts[.proofKeys] = Array(proofKeys)
        texts[.clientSecrets] = Array(rest.dropFirst(proofKeys.count + 1))
        return texts
    }
}
