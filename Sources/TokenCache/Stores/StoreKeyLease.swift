import Crypto

/// The key of a store for one write that was reserved while the store was open: what a provider has issued by then can
/// be stored although the store was locked meanwhile. Nothing is read with it but what this write merges with.
struct StoreKeyLease: Sendable {
    let keyName: [UInt8]
    let key: SymmetricKey
}
