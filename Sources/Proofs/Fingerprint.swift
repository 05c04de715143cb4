import Crypto

/// Names that distinguish values without revealing them.
package enum Fingerprint {
    /// The first half of SHA-256 over the parts, as 32 hexadecimal digits.
    ///
    /// - Parameter parts: hashed with their lengths, so no two lists collide. Secrets cannot be derived: they are long
    ///   and random, and half of the digest is dropped.
    package static func of(_ parts: [String]) -> String {
        var hash = SHA256()
        for part in parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: hash.finalize().prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self
        )
    }
}
