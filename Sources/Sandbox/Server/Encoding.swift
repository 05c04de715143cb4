import Crypto
import FoundationEssentials

/// Base64url without padding (RFC 4648 section 5).
enum Base64URLCoding {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for scalar in Data(bytes).base64EncodedString().unicodeScalars {
            switch scalar {
            case "+": text += "-"
            case "/": text += "_"
            case "=": break
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "-": standard += "+"
            case "_": standard += "/"
            default: standard.unicodeScalars.append(scalar)
            }
        }
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard).map(Array.init)
    }
}

enum RandomValue {
    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
    static func token(_ count: Int = 32) -> String { Base64URLCoding.encode(bytes(count)) }
    static func uuid() -> String { UUID().uuidString.lowercased() }
    static func letters(_ count: Int, of alphabet: String) -> String {
        let choices = Array(alphabet)
        return String((0..<count).compactMap { _ in choices.randomElement() })
    }
}

enum Digest {
    static func sha256(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
