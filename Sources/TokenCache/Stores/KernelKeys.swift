import CLinux
import Crypto
import Glibc

/// The user's kernel keyring: its keys are never on disk, are shared by the user's processes, and are removed when the
/// user logs out (keyrings(7), user-keyring(7)), or a week after their last use. Containers often deny it (EPERM,
/// ENOSYS), and the quota can be exhausted (EDQUOT): then the user is prompted for the passphrase again.
enum KernelKeys {
    /// KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_USER_KEYRING
    private static let ofProcess: Int32 = -2
    private static let ofUser: Int32 = -4

    /// Seconds without use before a key is removed: its store may be gone, and a user has a quota of 200 keys.
    static let idleTime: UInt = 7 * 86_400

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

    /// Saves a key under a name.
    ///
    /// By default only processes that possess a key can read it, and some services and logins have no session linked to
    /// the user keyring. So the user gets read permission, before the key can be found.
    @discardableResult
    static func keep(_ key: SymmetricKey, name: [UInt8]) -> Bool {
        let made = key.withUnsafeBytes { foyer_add_key(description(name), $0.baseAddress, $0.count, ofProcess) }
        guard made > 0 else { return false }
        let number = UInt(bitPattern: Int(made))
        let process = UInt(bitPattern: Int(ofProcess))
        defer { _ = foyer_keyctl(KEYCTL_UNLINK, number, process, 0, 0) }
        // Possessor: all. User: view, read, search, link and setattr. Others: none.
        guard foyer_keyctl(KEYCTL_SETPERM, number, 0x3F3B_0000, 0, 0) >= 0,
            foyer_keyctl(KEYCTL_SET_TIMEOUT, number, idleTime, 0, 0) >= 0
        else { return false }
        return foyer_keyctl(KEYCTL_LINK, number, UInt(bitPattern: Int(ofUser)), 0, 0) >= 0
    }

    /// Removes a key.
    ///
    /// - Returns: whether it existed.
    @discardableResult
    static func forget(_ name: [UInt8]) -> Bool {
        let key = foyer_search_key(ofUser, description(name))
        guard key > 0 else { return false }
        return foyer_keyctl(KEYCTL_UNLINK, UInt(bitPattern: Int(key)), UInt(bitPattern: Int(ofUser)), 0, 0) >= 0
    }

    /// Why the kernel does not store keys for this process; nil if it does.
    static func refusal() -> String? {
        let name = SealedHeader.random(16)
        guard keep(SymmetricKey(size: .bits256), name: name), find(name) != nil else {
            return "no kernel keyring for this process"
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
