import StrictJSON

/// The texts that a store has.
enum StorePart: Sendable {
    /// The tokens.
    case cache
    /// The private keys that tokens are bound to.
    case proofKeys
}

/// A text as it was read from a store.
struct StoreContent {
    var bytes: [UInt8]
    /// What was seen of the bytes while they were read, where they were looked at on the way.
    var screen: JSONPrecheck?
}
