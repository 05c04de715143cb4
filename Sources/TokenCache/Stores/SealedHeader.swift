import Crypto
import CryptoExtras
import Identity

/// The first bytes of an `encrypted:` store: what is needed to get at its key, in clear, and authenticated with all
/// that follows.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | `FOYERBOX` |
/// | 8 | 1 | version, 1 |
/// | 9 | 1 | how the key is wrapped: 1 under a passphrase by scrypt (RFC 7914), 2 by systemd-creds |
/// | 10 | 3 | scrypt: log2 of N, r, p; else zero |
/// | 13 | 3 | zero |
/// | 16 | 16 | name of the key, random |
/// | 32 | 32 | salt, random |
/// | 64 | 2 | length of the wrapped key, big-endian |
/// | 66 | n | the wrapped key |
///
/// The wrapped key of a passphrase is nonce (12), AES-256-GCM of the key (32) and tag (16), with the bytes before it as
/// associated data.
struct SealedHeader: Hashable, Sendable {
    static let magic = Array("FOYERBOX".utf8)
    static let fixedLength = 66
    /// A wrapped key of systemd-creds is a text of a few hundred bytes.
    static let maximumWrapped = 8192

    enum Wrapping: Hashable, Sendable {
        case passphrase(ScryptCost)
        case systemd
    }

    let wrapping: Wrapping
    let keyName: [UInt8]
    let salt: [UInt8]
    let wrapped: [UInt8]

    /// Everything, as it stands in the file.
    var bytes: [UInt8] { Self.start(wrapping, keyName: keyName, salt: salt, wrappedLength: wrapped.count) + wrapped }
}

extension SealedHeader {
    /// Reads the beginning of a file; nothing in it is believed before the key has opened the rest.
    ///
    /// - Throws: `foreign` when it is no such file, `damaged`, or `newer` when a later version made it.
    init(_ file: [UInt8], path: String) throws(StoreError) {
        guard file.starts(with: Self.magic) else {
            throw StoreError(.foreign("it is not an encrypted store"), path: path)
        }
        guard file.count > 8, file[8] == 1 else {
            if file.count > 8, file[8] > 1 { throw StoreError(.newer(version: Int(file[8])), path: path) }
            throw StoreError(.damaged("its version is missing"), path: path)
        }
        guard file.count >= Self.fixedLength else { throw StoreError(.damaged("its header is cut off"), path: path) }
        guard file[13...15].allSatisfy({ $0 == 0 }) else {
            throw StoreError(.damaged("its header holds what no version writes"), path: path)
        }
        let length = Int(file[64]) << 8 | Int(file[65])
        switch file[9] {
        case 1:
            guard let cost = ScryptCost(logN: file[10], r: file[11], p: file[12]) else {
                throw StoreError(.damaged("its passphrase would cost more than is allowed"), path: path)
            }
            guard length == 60 else { throw StoreError(.damaged("its key has the wrong length"), path: path) }
            wrapping = .passphrase(cost)
        case 2:
            guard file[10...12].allSatisfy({ $0 == 0 }), (1...Self.maximumWrapped).contains(length) else {
                throw StoreError(.damaged("its key has the wrong length"), path: path)
            }
            wrapping = .systemd
        default: throw StoreError(.damaged("its key is kept in an unknown way"), path: path)
        }
        guard file.count >= Self.fixedLength + length else {
            throw StoreError(.damaged("its header is cut off"), path: path)
        }
        keyName = Array(file[16..<32])
        salt = Array(file[32..<64])
        wrapped = Array(file[Self.fixedLength..<Self.fixedLength + length])
    }

    private static func start(_ wrapping: Wrapping, keyName: [UInt8], salt: [UInt8], wrappedLength: Int) -> [UInt8] {
        let how: [UInt8]
        switch wrapping {
        case .passphrase(let cost): how = [1, cost.logN, cost.r, cost.p]
        case .systemd: how = [2, 0, 0, 0]
        }
        return magic + [1] + how + [0, 0, 0] + keyName + salt + [
            UInt8(wrappedLength >> 8), UInt8(wrappedLength & 0xFF),
        ]
    }

    // MARK: Keys under a passphrase

    /// A header for a key under a passphrase.
    ///
    /// - Throws: `damaged` when the primitives refuse, which they have no reason to.
    static func wrapping(
        _ key: SymmetricKey, under passphrase: Secret, cost: ScryptCost, path: String
    ) throws(StoreError) -> SealedHeader {
        let (name, salt) = (random(16), random(32))
        let start = start(.passphrase(cost), keyName: name, salt: salt, wrappedLength: 60)
        do {
            let outer = try cost.key(from: passphrase, salt: salt)
            guard
                let box = try key.withUnsafeBytes({ try AES.GCM.seal($0, using: outer, authenticating: start) })
                    .combined
            else { throw StoreError(.damaged("no key can be made"), path: path) }
            return SealedHeader(wrapping: .passphrase(cost), keyName: name, salt: salt, wrapped: Array(box))
        } catch { throw StoreError(.damaged("no key can be made"), path: path) }
    }

    /// The key, opened with a passphrase.
    ///
    /// - Returns: nil when the passphrase does not open it; a header that was changed gives the same, as nobody can
    ///   tell the two apart.
    func unwrap(with passphrase: Secret) -> SymmetricKey? {
        guard case .passphrase(let cost) = wrapping,
            let outer = try? cost.key(from: passphrase, salt: salt),
            let box = try? AES.GCM.SealedBox(combined: wrapped),
            let key = try? AES.GCM.open(box, using: outer, authenticating: bytes.prefix(Self.fixedLength)),
            key.count == 32
        else { return nil }
        return SymmetricKey(data: key)
    }

    /// From the system's generator, which swift-crypto's keys come from.
    static func random(_ count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}

/// What a passphrase costs to try: the parameters of scrypt (RFC 7914 section 2), bounded, so that a file cannot make
/// its reader work for hours or take all memory.
struct ScryptCost: Hashable, Sendable {
    let logN: UInt8
    let r: UInt8
    let p: UInt8

    /// 128 MiB and about a third of a second: what OWASP recommends for scrypt.
    static let standard = ScryptCost(known: 17)

    private init(known logN: UInt8) {
        self.logN = logN
        r = 8
        p = 1
    }

    /// - Returns: nil beyond 1 GiB, and for work beyond what that takes.
    init?(logN: UInt8, r: UInt8, p: UInt8) {
        guard (1...20).contains(logN), (1...16).contains(r), (1...16).contains(p),
            (1 << Int(logN)) * Int(r) * Int(p) <= 1 << 23
        else {
            return nil
        }
        self.logN = logN
        self.r = r
        self.p = p
    }

    func key(from passphrase: Secret, salt: [UInt8]) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Array(passphrase.reveal().utf8), salt: salt, outputByteCount: 32, rounds: 1 << Int(logN),
            blockSize: Int(r),
            parallelism: Int(p))
    }
}
