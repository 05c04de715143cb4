/// Hides the names of users in a text for a log: the one place that decides what a name is.
package enum NameMask {
    package static let mark = "<masked>"

    /// - Parameter hidden: strings to hide wherever they are words of the text, in any ASCII case. Every word with an
    ///   `@` is hidden in any case, because a provider's text can name a user too.
    package static func masked(_ text: String, hiding hidden: [String]) -> String {
        let hidden = hidden.map { Array($0.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if let name = hidden.first(where: { isWord($0, at: place, in: bytes) }) {
                shown += mark.utf8
                place += name.count
            } else if let end = addressEnd(place, in: bytes) {
                shown += mark.utf8
                place = end
            } else {
                shown.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func isWord(_ name: [UInt8], at place: Int, in bytes: [UInt8]) -> Bool {
        let end = place + name.count
        guard end <= bytes.count, place == 0 || !isLetter(bytes[place - 1]),
            end == bytes.count || !isLetter(bytes[end])
        else { return false }
        return zip(name, bytes[place..<end]).allSatisfy { lowercased($0) == lowercased($1) }
    }

    /// The end of the word that begins here, if it has an `@`; the full stop after it is not part of it.
    private static func addressEnd(_ place: Int, in bytes: [UInt8]) -> Int? {
        guard place == 0 || isSeparator(bytes[place - 1]) else { return nil }
        let word = bytes[place...].prefix { !isSeparator($0) }
        guard word.contains(UInt8(ascii: "@")) else { return nil }
        return word.last == UInt8(ascii: ".") ? word.endIndex - 1 : word.endIndex
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "\"'(),:;<=>[]{|}".utf8.contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
