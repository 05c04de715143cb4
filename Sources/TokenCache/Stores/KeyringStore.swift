import FoundationEssentials
import Glibc
import Identity

/// A store in a Secret Service item that contains the whole text, compatible with MSAL's extensions. Their lock is the
/// file `<signal>.lockfile`, and the signal file's time shows them whether to read again.
struct KeyringStore: Sendable {
    let item: KeyringItem

    /// The item of a part. The tokens' item is shared with other programs.
    func item(_ part: TokenStorePart) -> KeyringItem {
        part == .cache ? item : KeyringItem(signal: item.signal + part.suffix, label: item.label)
    }

    func read(_ part: TokenStorePart) throws(StoreError) -> [UInt8]? {
        let item = item(part)
        do throws(KeyringTrouble) {
            guard let text = try SecretService.read(item) else { return nil }
            guard item.isBase64 else { return text }
            guard let decoded = Data(base64Encoded: Data(text)) else { throw .refused("its content is not base64") }
            return Array(decoded)
        } catch { throw StoreError(.keyring(error), path: name) }
    }

    /// Whether content of this size could be written now: the keyring responds, is unlocked, and accepts the size.
    func check(_ size: Int) throws(StoreError) {
        do throws(KeyringTrouble) {
            let bytes = item.isBase64 ? size / 3 * 4 + 4 : size
            guard bytes <= StoreSize.maximumInKeyring else { throw .tooLarge(bytes: bytes) }
            try SecretService.check()
        } catch { throw StoreError(.keyring(error), path: name) }
    }

    /// The caller holds the lock of ``StoreBackend/place(_:)``.
    func write(_ bytes: [UInt8], _ part: TokenStorePart, at place: ResolvedPath) throws(StoreError) {
        let item = item(part)
        do throws(KeyringTrouble) {
            try SecretService.write(item.isBase64 ? Array(Data(bytes).base64EncodedData()) : bytes, item)
        } catch { throw StoreError(.keyring(error), path: name) }
        Self.touch(place)
    }

    func remove(_ part: TokenStorePart) throws(StoreError) {
        do throws(KeyringTrouble) { try SecretService.remove(item(part)) } catch {
            throw StoreError(.keyring(error), path: name)
        }
    }

    var name: String { "keyring:" + item.name }

    /// Ignores errors: the write has succeeded, and other programs only notice it later.
    private static func touch(_ place: ResolvedPath) {
        let descriptor = uninterrupted {
            open(place.file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        }
        guard descriptor >= 0 else { return }
        FileStore.date(descriptor)
        close(descriptor)
    }
}
