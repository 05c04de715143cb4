import FoundationEssentials
import Identity
import Proofs
import TokenCache
import Wire

/// Provider metadata and keys that earlier processes cached within a day: a refresh needs one request instead of three.
///
/// Only the silent flow uses them, and only if it sends a request; a sign-in replaces them. Every document is validated
/// as if just received. Next to a plain store, where it could have been changed, it may only name endpoints at the
/// provider's own place: metadata with others are fetched each time. All of it can be fetched again, so an unreadable
/// file costs only a request.
struct ProviderMetadataCache {
    private let store: ProviderStore
    private let provider: Provider
    private let now: @Sendable () -> Date

    init(_ cache: TokenCache, _ provider: Provider, _ now: @escaping @Sendable () -> Date) {
        store = ProviderStore(cache)
        self.provider = provider
        self.now = now
    }

    // MARK: Metadata

    /// Loads the cached metadata into memory, unless newer metadata is already there.
    func recall(_ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]) async {
        guard !manual.isComplete(for: authority.kind), await !provider.discovery.knows(authority, manual: manual),
            let (document, age) = store.document(Self.key(authority, manual), at: now()),
            let metadata = try? ProviderMetadata(document, of: authority, manual: manual, aliases: aliases),
            mayKeep(metadata, authority, manual, aliases)
        else { return }
        await provider.discovery.remember(metadata, for: authority, manual: manual, age: age)
    }

    func keep(
        _ metadata: ProviderMetadata, _ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]
    ) {
        guard !manual.isComplete(for: authority.kind), mayKeep(metadata, authority, manual, aliases) else { return }
        quietly { () throws(StoreError) in
            try store.keep(metadata.document, as: Self.key(authority, manual), at: now())
        }
    }

    private func mayKeep(
        _ metadata: ProviderMetadata, _ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]
    ) -> Bool {
        store.isSealed || metadata.isAtOwnPlace(of: authority, manual: manual, aliases: aliases)
    }

    // MARK: Keys

    func recallKeys(of metadata: ProviderMetadata) async {
        guard let keys = metadata.keys, await !provider.keys.knows(keys),
            let (document, age) = store.document(Self.key(metadata), at: now())
        else { return }
        await provider.keys.remember(document, at: keys, age: age)
    }

    func keepKeys(of metadata: ProviderMetadata) async {
        guard let keys = metadata.keys, let document = await provider.keys.takeFetched(from: keys) else { return }
        quietly { () throws(StoreError) in try store.keep(document, as: Self.key(metadata), at: now()) }
    }

    // MARK: Failed requests

    /// Removes the data of a provider, in memory and in the file, after a request that relied on it failed.
    func forget(_ authority: Authority, _ manual: EndpointOverrides, _ metadata: ProviderMetadata) async {
        await provider.discovery.forget(authority)
        if let keys = metadata.keys { await provider.keys.forgetKept(keys) }
        for key in [Self.key(authority, manual), Self.key(metadata)] {
            quietly { () throws(StoreError) in try store.forget(key, at: now()) }
        }
    }

    /// A failed save costs a request later; data that could not be removed is at most a day old.
    private func quietly(_ change: () throws(StoreError) -> Void) {
        do throws(StoreError) { try change() } catch { return }
    }

    private static func key(_ authority: Authority, _ manual: EndpointOverrides) -> String {
        Fingerprint.of(
            ["metadata", authority.address.text, authority.kind.rawValue, manual.issuer ?? ""]
                + manual.members.flatMap { [$0.name, $0.address.text] })
    }

    /// Includes the issuer: two providers must not share keys by naming the same URL.
    private static func key(_ metadata: ProviderMetadata) -> String {
        Fingerprint.of(["keys", metadata.issuer, metadata.keys?.text ?? ""])
    }
}
