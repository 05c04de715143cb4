/// FNV-1a, 64 bits: the same in every process and version, unlike Swift's `Hasher`. It hides nothing from an attacker.
package enum StableHash {
    package static let empty: UInt64 = 0xCBF2_9CE4_8422_2325

    package static func adding(_ text: String, to hash: UInt64 = empty) -> UInt64 {
        var (hash, text) = (hash, text)
        text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
        return hash
    }

    /// The hash of several strings; each is hashed with its length, so that no two lists run together.
    package static func hexadecimal(_ strings: [String]) -> String {
        String(strings.reduce(empty) { adding("\($1.utf8.count):" + $1, to: $0) }, radix: 16)
    }
}
