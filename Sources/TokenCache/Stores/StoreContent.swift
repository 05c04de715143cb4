import StrictJSON

/// The parts of a store.
enum StorePart: Sendable {
    case cache
    /// The private keys that tokens are bound to.
    case proofKeys
}

struct StoreContent {
    var bytes: [UInt8]
    /// Results of a scan during the read; nil if there was none.
    var screen: JSONByteScan?
}
