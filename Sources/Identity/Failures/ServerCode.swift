/// A known numbered error of Microsoft's providers, and its effect on a client.
///
/// Entra ID writes `AADSTS` and a number, B2C `AADB2C`, AD FS `MSIS`; the same number has a different meaning for each.
/// Numbers and short names come from the providers' published lists. The table is built on the first failure.
public struct ServerCode: Hashable, Sendable {
    /// The provider family that defines the number. The raw value is the prefix of the number.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
        /// Entra ID.
        case entra = "AADSTS"
        /// Azure AD B2C.
        case b2c = "AADB2C"
        /// Active Directory Federation Services.
        case adfs = "MSIS"
    }

    /// The consequence for a client.
    public enum Effect: Hashable, Sendable, CaseIterable {
        /// An interactive sign-in fixes it.
        case signIn
        /// Neither waiting nor a sign-in helps: something must be changed first.
        case refused
        /// It is temporary.
        case passing
        /// The user declined or cancelled.
        case cancelled
    }

    /// The provider family that defines this meaning.
    public let origin: Origin
    /// The number without its prefix: 50076 for `AADSTS50076`.
    public let number: Int
    /// The provider's own short name.
    public let name: String
    /// Read by the silent call; determines ``Failure/code``.
    public let effect: Effect

    /// The number as the provider writes it: `AADSTS50076`.
    public var label: String { origin.rawValue + String(number) }

    /// Whether an interactive sign-in fixes it.
    public var isMendedBySignIn: Bool { effect == .signIn }

    init(_ number: Int, _ name: String, _ effect: Effect, origin: Origin = .entra) {
        (self.origin, self.number, self.name, self.effect) = (origin, number, name, effect)
    }

    /// The entry for a number.
    ///
    /// - Returns: nil for an unknown number; nothing is inferred from its digits.
    public static func known(_ number: Int, origin: Origin = .entra) -> ServerCode? {
        table[ReportedCode(origin: origin, number: number)]
    }

    /// The known entries for the numbers of a refusal that say most: the first one decides.
    ///
    /// A list often has a general number next to the one with the cause: "error validating credentials" (70002) and
    /// "the refresh token has expired" (70008). General numbers give way, whatever their order, and so does a number
    /// whose digits continue in another known one, as 70008 in 700082.
    ///
    /// One number is ignored with `invalid_grant`: it means a malformed request, but here the refresh token is
    /// malformed, which a sign-in fixes.
    package static func known(_ numbers: [Int], origin: Origin, error: String?) -> [ServerCode] {
        let meant = numbers.filter { error != "invalid_grant" || $0 != 9_002_313 }
        let found = meant.compactMap { known($0, origin: origin) }
        guard origin == .entra, meant.count > 1 else { return found }
        // An unknown number can be the cause as well, so the most general one says nothing next to it.
        let least = found.map(\.generality).min() ?? 0
        let rank = found.count < meant.count ? min(least, 1) : least
        let kept = found.filter { $0.generality == rank }
        return kept.filter { code in
            !kept.contains { $0.number > code.number && String($0.number).hasPrefix(String(code.number)) }
        }
    }

    /// How little the number says: 0 for a cause, 1 for a kind of failure, 2 for the number that comes with all
    /// others.
    private var generality: Int { number == 70002 ? 2 : Self.general.contains(number) ? 1 : 0 }

    private static let general: Set<Int> = [
        50000, 50013, 50027, 50131, 65005, 70000, 90004, 90013, 90014, 90023, 90100, 90117, 9_002_313, 165_900,
    ]

    /// The entry for a number copied from a page or a log: `AADSTS50076`, `aadsts50076:`, `AADB2C90118: The user has
    /// …`, `MSIS9605`, or only the digits, which are treated as Entra ID's.
    ///
    /// - Returns: nil if there is no number, or an unknown one.
    public static func known(in text: String) -> ServerCode? {
        if let named = mentions(in: text).first { return known(named.number, origin: named.origin) }
        guard text.utf8.count <= longestNumber, let number = Int(text) else { return nil }
        return known(number)
    }

    /// The distinct numbers mentioned in a provider's description, in order, at most twenty.
    ///
    /// In a redirect response they appear nowhere else; B2C and AD FS never report them elsewhere.
    package static func mentions(in description: String) -> [ReportedCode] {
        var found: [ReportedCode] = []
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
            let mention = ReportedCode(origin: origin, number: number)
            if !found.contains(mention) { found.append(mention) }
        }
        return found
    }

    package struct ReportedCode: Hashable, Sendable {
        package let origin: Origin
        package let number: Int
    }

    private static let longestNumber = 9

    private static func begins(_ bytes: [UInt8], at place: Int, with word: String) -> Bool {
        // In ASCII, setting bit 0x20 lowers a letter and leaves a digit unchanged.
        bytes[place...].prefix(word.utf8.count).elementsEqual(word.utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    private static let table: [ReportedCode: ServerCode] = Dictionary(
        all.map { (ReportedCode(origin: $0.origin, number: $0.number), $0) }, uniquingKeysWith: { first, _ in first })

    package static var all: [ServerCode] {
        [
            persons, secondFactors, policies, applications, requests, services, passwords, federation, b2c, b2cRequests,
            b2cPolicies, adfs,
        ].flatMap(\.self)
    }
}
