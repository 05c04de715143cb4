public import Identity
package import TokenCache

/// A store that other programs find by its name, with their locks: `file:PATH`, `encrypted:PATH`, `keyring:NAME`.
///
/// A plain file and a keyring item have the content that MSAL's libraries share.
public final class NamedTokenStore: TokenStore {
    /// Why a passphrase of an `encrypted:` store is needed.
    public enum PassphraseReason: Hashable, Sendable {
        /// To open the store.
        case open
        /// To open the store, after a wrong one.
        case openAgain
        /// To create the store: a new one.
        case choose
    }

    let cache: TokenCache

    /// - Parameters:
    ///   - name: an absolute path, or a name as above. An invalid one fails each call that needs the store.
    ///   - dataFolder: see ``/Identity/ClientConfiguration/dataFolder``.
    ///   - label: of a new keyring item, see ``/Identity/NetworkSettings/productName``.
    ///   - passphrase: the passphrase of an `encrypted:` store whose key the kernel does not hold; called on a thread
    ///     that may wait. Nil cancels.
    public init(
        _ name: String, dataFolder: String? = nil, label: String? = nil,
        passphrase: (@Sendable (PassphraseReason) -> Secret?)? = nil
    ) {
        let keys = passphrase.map { passphrase in
            StoreKeys { question throws(StoreError) in
                let reason: PassphraseReason =
                    question.purpose == .choose ? .choose : question.isRepeated ? .openAgain : .open
                guard let secret = passphrase(reason) else { throw StoreError(.cancelled, path: question.path) }
                return secret
            }
        }
        cache = TokenCache(naming: name, folder: dataFolder, label: label, keys: keys ?? StoreKeys())
    }

    /// The name, or the path for an invalid one.
    public var name: String { cache.spec?.description ?? cache.path }

    /// The content of a part, decrypted; nil if there is none.
    public func read(_ part: TokenStorePart) throws(TokenStoreProblem) -> [UInt8]? {
        do throws(StoreError) { return try cache.content(part) } catch { throw TokenStoreProblem(error) }
    }

    /// Replaces the content of a part atomically.
    public func write(_ content: [UInt8], _ part: TokenStorePart) throws(TokenStoreProblem) {
        do throws(StoreError) { try cache.replace(content, part) } catch { throw TokenStoreProblem(error) }
    }

    /// Runs a body while no other program writes to the store.
    public func withExclusiveAccess(_ body: () -> Void) throws(TokenStoreProblem) {
        do throws(StoreError) {
            try cache.alone(with: [.proofKeys, .clientSecrets]) { () throws(StoreError) in body() }
        } catch { throw TokenStoreProblem(error) }
    }
}

extension TokenStore where Self == NamedTokenStore {
    /// A plain file, which only its owner can read, with the content and the locks of MSAL's libraries.
    ///
    /// - Parameter path: absolute.
    public static func file(_ path: String) -> NamedTokenStore { NamedTokenStore("file:" + path) }

    /// A file that is encrypted with its own key, under a passphrase or by systemd-creds.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - passphrase: see ``NamedTokenStore/init(_:dataFolder:label:passphrase:)``.
    public static func encrypted(
        _ path: String, passphrase: (@Sendable (NamedTokenStore.PassphraseReason) -> Secret?)? = nil
    ) -> NamedTokenStore {
        NamedTokenStore("encrypted:" + path, passphrase: passphrase)
    }

    /// An item of the desktop's keyring (Secret Service).
    ///
    /// - Parameter name: letters, digits, `.`, `_` and `-`; or the path of another program's signal file.
    public static func keyring(_ name: String) -> NamedTokenStore { NamedTokenStore("keyring:" + name) }
}

extension TokenStore where Self == InMemoryTokenStore {
    /// A new store in memory.
    public static var inMemory: InMemoryTokenStore { InMemoryTokenStore() }
}

extension ClientConfiguration {
    var namedStore: NamedTokenStore {
        NamedTokenStore(store, dataFolder: dataFolder, label: network.productName)
    }
}

extension TokenStoreProblem {
    fileprivate init(_ error: StoreError) { self.init(error.message, isTemporary: error.mayPass) }
}

extension TokenCache {
    /// The store of a library's user.
    package init(_ store: any TokenStore) {
        self = (store as? NamedTokenStore)?.cache ?? TokenCache(attaching: store)
    }
}
