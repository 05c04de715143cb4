public import FoundationEssentials
package import StrictJSON

/// The members of a JWT's header or payload, in order. They are only decoded; trust ``CheckedClaims`` instead.
public struct Claims: Hashable, Sendable {
    package let members: [JSONMember]

    package init(_ object: JSONObject) { members = object.members }
    /// Creates empty claims, for example without an ID token.
    public init() { members = [] }

    /// The names in token order. They are unique: a token with duplicates is rejected.
    public var names: [String] { members.map(\.name) }
    /// Whether there are no claims.
    public var isEmpty: Bool { members.isEmpty }

    package subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The claim as a string, or nil if missing or not a string.
    public func string(_ name: String) -> String? { self[name]?.string }

    /// The claim as an integer, or nil if missing, fractional or too large.
    public func integer(_ name: String) -> Int64? { self[name]?.integer }

    /// The claim as strings: `aud` and `amr` can be a string or an array.
    public func strings(_ name: String) -> [String] {
        guard let value = self[name] else { return [] }
        if let one = value.string { return [one] }
        return (value.array ?? []).compactMap(\.string)
    }

    /// The claim as a time: NumericDate of RFC 7519, in whole or fractional seconds, from 1970 to 9999.
    public func date(_ name: String) -> Date? {
        self[name]?.double.flatMap { Date(epochSeconds: $0) }
    }

    /// The claim as compact JSON for display; nil if missing.
    public func json(_ name: String) -> String? { self[name]?.serialized() }
}

extension Claims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims, without their values, which describe the user.
    public var description: String { "claims " + names.joined(separator: ", ") }
    /// No children, so `dump` shows no values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Claims {
    /// The username: `preferred_username` (Entra ID), `upn` or `unique_name` (AD FS), `email`, or B2C's first `emails`.
    package var username: String? { rankedUsername?.name }

    /// The username in a refreshed ID token; nil if it is from a lesser claim than the one in the earlier token. Some
    /// providers leave claims out when they refresh a token, and that makes no new name.
    package func username(after earlier: Claims) -> String? {
        guard let now = rankedUsername else { return nil }
        if let before = earlier.rankedUsername, before.rank < now.rank { return nil }
        return now.name
    }

    private var rankedUsername: (name: String, rank: Int)? {
        let single = ["preferred_username", "upn", "unique_name", "email"]
        for (rank, claim) in single.enumerated() {
            if let name = string(claim), !name.isEmpty { return (name, rank) }
        }
        return strings("emails").first { !$0.isEmpty }.map { ($0, single.count) }
    }
}

/// A JWT decoded for display, without any check.
package struct DecodedJWT: Hashable, Sendable {
    package let header: Claims
    package let payload: Claims
    /// The signed parts as received, for verification elsewhere.
    package let signingInput: String
    package let signature: [UInt8]

    package enum Problem: Error, Hashable, Sendable {
        case tooLong, notThreeParts, encrypted, base64(part: Int), json(part: Int)
    }

    package static let maximumLength = 262_144

    /// - Throws: ``Problem`` unless there are three canonical base64url parts, the first two strict JSON objects.
    package init(_ token: Secret) throws(Problem) {
        let text = token.reveal()
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        let parts = text.split(separator: ".", maxSplits: 5, omittingEmptySubsequences: false)
        if parts.count == 5 { throw .encrypted }
        guard parts.count == 3 else { throw .notThreeParts }
        header = Claims(try Self.object(parts[0], part: 1))
        payload = Claims(try Self.object(parts[1], part: 2))
        guard let bytes = Base64URL.decode(parts[2]) else { throw .base64(part: 3) }
        signature = bytes
        signingInput = parts[0] + "." + parts[1]
    }

    private static func object(_ part: Substring, part number: Int) throws(Problem) -> JSONObject {
        guard let bytes = Base64URL.decode(part) else { throw .base64(part: number) }
        do {
            guard let object = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: maximumLength)).object
            else {
                throw Problem.json(part: number)
            }
            return object
        } catch { throw .json(part: number) }
    }
}

extension DecodedJWT.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong: "the token is longer than \(DecodedJWT.maximumLength / 1024) KiB"
        case .notThreeParts: "not a JWT: expected three parts"
        case .encrypted: "encrypted JWT: only the recipient can read it"
        case .base64(let part): "part \(part) of the token is not base64url"
        case .json(let part): "part \(part) of the token is not a JSON object"
        }
    }
}
