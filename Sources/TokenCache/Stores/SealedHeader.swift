import Crypto
import CryptoExtras
import Identity

/// The start of an `encrypted:` store: the data needed to get its key, in plaintext, authenticated with the rest.
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
/// A key wrapped with a passphrase is nonce (12), AES-256-GCM ciphertext of the key (32) and tag (16); the preceding
/// bytes are associated data.
struct SealedHeader: Hashable, Sendable {
    static let magic = Array("FOYERBOX".utf8)
    static let fixedLength = 66
    /// A key wrapped by systemd-creds is a string of a few hundred bytes.
    static let maximumWrapped = 8192

    enum Wrapping: Hashable, Sendable {
        case passphrase(ScryptCost)
        case systemd
    }

    let wrapping: Wrapping
    let keyName: [UInt8]
    let salt: [UInt8]
    let wrapped: [UInt8]

    var bytes: [UInt8] { Self.start(wrapping, keyName: keyName, salt: salt, wrappedLength: wrapped.count) + wrapped }
}

extension SealedHeader {
    /// Parses the start of a file. Nothing in it is trusted until the key has decrypted the rest.
    ///
    /// - Throws: `foreign` if it is not an encrypted store, `damaged`, or `newer` for a newer version's file.
    init(_ file: [UInt8], path: String) throws(StoreError) {
        guard file.starts(with: Self.magic) else {
            throw StoreError(.foreign("it is not an encrypted store"), path: path)
        }
        guard file.count > 8, file[8] == 1 else {
            if file.count > 8, file[8] > 1 { throw StoreError(.newer(version: Int(file[8])), path: path) }
            throw StoreError(.damaged("its version is missing"), path: path)
        }
        guard file.count >= Self.fixedLength else { throw StoreError(.damaged("its header is truncated"), path: path) }
        guard file[13...15].allSatisfy({ $0 == 0 }) else {
            throw StoreError(.damaged("its header is invalid"), path: path)
        }
        let length = Int(file[64]) << 8 | Int(file[65])
        switch file[9] {
        case 1:
            guard let cost = ScryptCost(logN: file[10], r: file[11], p: file[12]) else {
                throw StoreError(.damaged("its scrypt cost is above the limit"), path: path)
            }
            guard length == 60 else { throw StoreError(.damaged("its key has the wrong length"), path: path) }
            wrapping = .passphrase(cost)
        case 2:
            guard file[10...12].allSatisfy({ $0 == 0 }), (1...Self.maximumWrapped).contains(length) else {
                throw StoreError(.damaged("its key has the wrong length"), path: path)
            }
            wrapping = .systemd
        default: throw StoreError(.damaged("unknown key protection"), path: path)
        }
        guard file.count >= Self.fixedLength + length else {
            throw StoreError(.damaged("its header is truncated"), path: path)
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

    // MARK: Passphrase-wrapped keys

    /// Wraps a key with a passphrase.
    ///
    /// - Throws: `damaged` if a primitive fails, which is not expected.
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
            else { throw StoreError(.damaged("cannot derive a key"), path: path) }
            return SealedHeader(wrapping: .passphrase(cost), keyName: name, salt: salt, wrapped: Array(box))
        } catch { throw StoreError(.damaged("cannot derive a key"), path: path) }
    }

    /// Unwraps the key with a passphrase.
    ///
    /// - Returns: nil for a wrong passphrase or a modified header, which cannot be distinguished.
    func unwrap(with passphrase: Secret) -> SymmetricKey? {
        guard case .passphrase(let cost) = wrapping,
            let outer = try? cost.key(from: passphrase, salt: salt),
            let box = try? AES.GCM.SealedBox(combined: wrapped),
            let key = try? AES.GCM.open(box, using: outer, authenticating: bytes.prefix(Self.fixedLength)),
            key.count == 32
        else { return nil }
        return SymmetricKey(data: key)
    }

    /// Random bytes from the system's generator, the source of swift-crypto's keys.
    static func random(_ count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}

/// The cost of a passphrase attempt: scrypt parameters (RFC 7914 section 2), limited so that a file cannot make its
/// reader work for hours or exhaust memory.
struct ScryptCost: Hashable, Sendable {
    let logN: UInt8
    let r: UInt8
    let p: UInt8

    /// 128 MiB and about a third of a second: OWASP's recommendation for scrypt.
    static let standard = ScryptCost(known: 17)

    private init(known logN: UInt8) {
        self.logN = logN
        r = 8
        p = 1
    }

    /// - Returns: nil above 1 GiB of memory, or the corresponding work.
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
