import FoundationEssentials
import Identity
import TokenCache
import Wire

/// What earlier processes were told by providers, within a day: their metadata and their keys. A refresh is then one
/// request where it was three.
///
/// Only the silent flow takes it, and only when a request is to be sent at all; what a sign-in is told takes its place.
/// Every document is checked again as if it had just come. Nothing is kept that could not be asked for again: a file
/// that cannot be read or written costs a request.
struct ProviderMetadataCache {
    private let store: ProviderStore
    private let provider: Provider
    private let now: @Sendable () -> Date

    /// - Parameter cache: what is kept lies beside this store.
    init(_ cache: TokenCache, _ provider: Provider, _ now: @escaping @Sendable () -> Date) {
        store = ProviderStore(cache)
        self.provider = provider
        self.now = now
    }

    // MARK: Metadata

    /// Puts what was kept into this process's memory, unless it knows better.
    func recall(_ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]) async {
        guard !manual.isComplete, await !provider.discovery.knows(authority, manual: manual),
            let (document, age) = store.document(Self.key(authority, manual), at: now()),
            let metadata = try? ProviderMetadata(document, of: authority, manual: manual, aliases: aliases)
        else { return }
        await provider.discovery.remember(metadata, for: authority, manual: manual, age: age)
    }

    func keep(_ metadata: ProviderMetadata, _ authority: Authority, _ manual: EndpointOverrides) {
        guard !manual.isComplete else { return }
        quietly { () throws(StoreError) in
            try store.keep(metadata.document, as: Self.key(authority, manual), at: now())
        }
    }

    // MARK: Keys

    func recallKeys(of metadata: ProviderMetadata) async {
        guard await !provider.keys.knows(metadata.keys),
            let (document, age) = store.document(Self.key(metadata), at: now())
        else { return }
        await provider.keys.remember(document, at: metadata.keys, age: age)
    }

    func keepKeys(of metadata: ProviderMetadata) async {
        guard let document = await provider.keys.takeFetched(from: metadata.keys) else { return }
        quietly { () throws(StoreError) in try store.keep(document, as: Self.key(metadata), at: now()) }
    }

    // MARK: When it does not work

    /// Forgets what is known of a provider, here and in the file: a request that relied on it failed.
    func forget(_ authority: Authority, _ manual: EndpointOverrides, _ metadata: ProviderMetadata) async {
        await provider.discovery.forget(authority)
        await provider.keys.forgetKept(metadata.keys)
        for key in [Self.key(authority, manual), Self.key(metadata)] {
            quietly { () throws(StoreError) in try store.forget(key, at: now()) }
        }
    }

    /// What cannot be kept costs a request later, and what cannot be forgotten is a day old at most.
    private func quietly(_ change: () throws(StoreError) -> Void) {
        do throws(StoreError) { try change() } catch { return }
    }

    private static func key(_ authority: Authority, _ manual: EndpointOverrides) -> String {
        Fingerprint.of(
            ["metadata", authority.address.text, authority.kind.rawValue, manual.issuer ?? ""]
                + manual.members.flatMap { [$0.name, $0.address.text] })
    }

    /// Of one provider: two may not share keys by naming the same address.
    private static func key(_ metadata: ProviderMetadata) -> String {
        Fingerprint.of(["keys", metadata.issuer, metadata.keys.text])
    }
}
