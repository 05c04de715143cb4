/// A numbered error of Microsoft's providers that is known, and what a client has to make of it.
///
/// Entra ID writes `AADSTS` and a number, B2C `AADB2C`, AD FS `MSIS`; the same number means different things to each.
/// Numbers and short names are facts of the field, from the providers' published lists. The table is made when the
/// first failure asks for it, and not before.
public struct ServerCode: Hashable, Sendable {
    /// Whose number it is. The raw value is what stands before the number.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
        case entra = "AADSTS"
        case b2c = "AADB2C"
        case adfs = "MSIS"
    }

    /// What a client has to make of it.
    public enum Effect: Hashable, Sendable, CaseIterable {
        /// A sign-in by a person mends it.
        case signIn
        /// Neither waiting nor a sign-in helps: something has to be changed first.
        case refused
        /// It may pass by itself.
        case passing
        /// The person said no, or gave up.
        case cancelled
    }

    /// Which provider means this by the number.
    public let origin: Origin
    /// Without what stands before it: 50076 of `AADSTS50076`.
    public let number: Int
    /// The provider's own short name.
    public let name: String
    /// Read by the silent call; ``Failure/code`` follows from it.
    public let effect: Effect

    /// The number as the provider writes it: `AADSTS50076`.
    public var label: String { origin.rawValue + String(number) }

    /// Whether a sign-in by a person mends it.
    public var isMendedBySignIn: Bool { effect == .signIn }

    init(_ number: Int, _ name: String, _ effect: Effect, origin: Origin = .entra) {
        (self.origin, self.number, self.name, self.effect) = (origin, number, name, effect)
    }

    /// The entry of a number.
    ///
    /// - Returns: nil for a number that is not known; nothing is guessed from its digits.
    public static func known(_ number: Int, origin: Origin = .entra) -> ServerCode? {
        table[Mention(origin: origin, number: number)]
    }

    /// The entries of the numbers of one refusal, as far as they are known and say more than the error's name does: a
    /// text that is no refresh token at all is refused as a malformed request, but beside `invalid_grant` it is the
    /// grant that is not accepted, which a sign-in mends.
    package static func known(_ numbers: [Int], origin: Origin, error: String?) -> [ServerCode] {
        numbers.filter { error != "invalid_grant" || $0 != 9_002_313 }.compactMap { known($0, origin: origin) }
    }

    /// The entry of a number as a person copies it from a page or a log: `AADSTS50076`, `aadsts50076:`, `AADB2C90118:
    /// The user has …`, `MSIS9605`, or the digits alone, which are taken for Entra ID's.
    ///
    /// - Returns: nil when there is no number in it, or one that is not known.
    public static func known(in text: String) -> ServerCode? {
        if let named = mentions(in: text).first { return known(named.number, origin: named.origin) }
        guard text.utf8.count <= longestNumber, let number = Int(text) else { return nil }
        return known(number)
    }

    /// The numbers that a provider's description mentions, in their order, each once, at most twenty.
    ///
    /// An answer that comes by a redirect has them nowhere else; B2C and AD FS have them nowhere else ever.
    package static func mentions(in description: String) -> [Mention] {
        var found: [Mention] = []
        let bytes = Array(description.utf8.prefix(4096))
        var place = 0
        while place < bytes.count, found.count < 20 {
            guard let origin = Origin.allCases.first(where: { begins(bytes, at: place, with: $0.rawValue) }) else {
                place += 1
                continue
            }
            place += origin.rawValue.utf8.count
            let digits = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            place += digits.count
            guard digits.count <= longestNumber, let number = Int(String(decoding: digits, as: UTF8.self)) else {
                continue
            }
            let mention = Mention(origin: origin, number: number)
            if !found.contains(mention) { found.append(mention) }
        }
        return found
    }

    /// A number somebody wrote down, known or not.
    package struct Mention: Hashable, Sendable {
        package let origin: Origin
        package let number: Int
    }

    private static let longestNumber = 9

    private static func begins(_ bytes: [UInt8], at place: Int, with word: String) -> Bool {
        // Letters differ from their other case by one bit, digits have it set already.
        bytes[place...].prefix(word.utf8.count).elementsEqual(word.utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    private static let table: [Mention: ServerCode] = Dictionary(
        all.map { (Mention(origin: $0.origin, number: $0.number), $0) }, uniquingKeysWith: { first, _ in first })

    /// Every number that is known.
    package static var all: [ServerCode] {
        persons + secondFactors + policies + applications + requests + services + otherProviders
    }
}
