import CLinux
import Crypto
import Glibc

/// The kernel's keyring of the user: keys in it are never on a disk, are shared by the user's processes, and go when
/// the user has left (keyrings(7), user-keyring(7)), or a week after they were used last.
///
/// Containers often refuse it (EPERM, ENOSYS), and a quota may be used up (EDQUOT): then nothing is kept, and the
/// passphrase is asked again.
enum KernelKeys {
    /// KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_USER_KEYRING
    private static let ofProcess: Int32 = -2
    private static let ofUser: Int32 = -4

    /// Seconds without use after which a key goes: its store may be gone, and a person may keep 200 keys.
    static let idleTime: UInt = 7 * 86_400

    /// The key of that name, or nil.
    static func find(_ name: [UInt8]) -> SymmetricKey? {
        let key = foyer_search_key(ofUser, description(name))
        guard key > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 33)
        defer { wipe(&bytes) }
        let count = bytes.withUnsafeMutableBytes { room in
            foyer_keyctl(
                KEYCTL_READ, UInt(bitPattern: Int(key)), UInt(bitPattern: room.baseAddress), UInt(room.count), 0)
        }
        guard count == 32 else { return nil }
        _ = foyer_keyctl(KEYCTL_SET_TIMEOUT, UInt(bitPattern: Int(key)), idleTime, 0, 0)
        return SymmetricKey(data: bytes[..<32])
    }

    /// Keeps a key under a name.
    ///
    /// Only processes that possess a key may read it, and what is in the user's keyring is possessed by those only
    /// whose session is linked to it, which services and some sign-ins leave out. So the user as such is let read it;
    /// that is set before the key can be found.
    @discardableResult
    static func keep(_ key: SymmetricKey, name: [UInt8]) -> Bool {
        let made = key.withUnsafeBytes { foyer_add_key(description(name), $0.baseAddress, $0.count, ofProcess) }
        guard made > 0 else { return false }
        let number = UInt(bitPattern: Int(made))
        let process = UInt(bitPattern: Int(ofProcess))
        defer { _ = foyer_keyctl(KEYCTL_UNLINK, number, process, 0, 0) }
        // Possessor: all. User: view, read, search, link and the right to take it away; nobody else.
        guard foyer_keyctl(KEYCTL_SETPERM, number, 0x3F3B_0000, 0, 0) >= 0,
            foyer_keyctl(KEYCTL_SET_TIMEOUT, number, idleTime, 0, 0) >= 0
        else { return false }
        return foyer_keyctl(KEYCTL_LINK, number, UInt(bitPattern: Int(ofUser)), 0, 0) >= 0
    }

    /// Forgets the key of that name.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    static func forget(_ name: [UInt8]) -> Bool {
        let key = foyer_search_key(ofUser, description(name))
        guard key > 0 else { return false }
        return foyer_keyctl(KEYCTL_UNLINK, UInt(bitPattern: Int(key)), UInt(bitPattern: Int(ofUser)), 0, 0) >= 0
    }

    /// Whether the kernel lets us keep keys; nil when it does, else why not.
    static func refusal() -> String? {
        let name = SealedHeader.random(16)
        guard keep(SymmetricKey(size: .bits256), name: name), find(name) != nil else {
            return "the kernel keeps no keys for this process"
        }
        forget(name)
        return nil
    }

    private static func description(_ name: [UInt8]) -> String {
        "foyer:" + name.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return }
            explicit_bzero(start, room.count)
        }
    }
}
