public import FoundationEssentials
package import StrictJSON

/// The members of a JWT's header or payload, in the order in which they came. They were decoded and nothing more:
/// ``CheckedClaims`` are those that may be trusted.
public struct Claims: Hashable, Sendable {
    package let members: [JSONMember]

    package init(_ object: JSONObject) { members = object.members }
    /// No claims at all, as where no ID token is held.
    public init() { members = [] }

    /// In the order of the token. No name is there twice: such a token is refused.
    public var names: [String] { members.map(\.name) }
    /// Whether there are none.
    public var isEmpty: Bool { members.isEmpty }

    package subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The claim as text, or nil when it is missing or not a string.
    public func string(_ name: String) -> String? { self[name]?.string }

    /// The claim as a whole number, or nil when it is missing, fractional or too large.
    public func integer(_ name: String) -> Int64? { self[name]?.integer }

    /// The claim as one or more strings: `aud` and `amr` come in both forms.
    public func strings(_ name: String) -> [String] {
        guard let value = self[name] else { return [] }
        if let one = value.string { return [one] }
        return (value.array ?? []).compactMap(\.string)
    }

    /// The claim as a time: NumericDate of RFC 7519, whole or fractional seconds, between the years 1970 and 9999.
    public func date(_ name: String) -> Date? {
        self[name]?.double.flatMap { Date(epochSeconds: $0) }
    }

    /// The claim as compact JSON, for showing; nil when it is missing.
    public func json(_ name: String) -> String? { self[name]?.serialized() }
}

extension Claims {
    /// The name that the person types: Entra ID's `preferred_username`, AD FS's `upn` or `unique_name`, what other
    /// providers call `email`, and the first of B2C's `emails`.
    package var username: String? {
        ["preferred_username", "upn", "unique_name", "email"].lazy.compactMap { string($0) }.first { !$0.isEmpty }
            ?? strings("emails").first { !$0.isEmpty }
    }
}

/// A JWT taken apart for showing: nothing in it has been checked.
package struct DecodedJWT: Hashable, Sendable {
    package let header: Claims
    package let payload: Claims
    /// The three parts as they came, for verification elsewhere.
    package let signingInput: String
    package let signature: [UInt8]

    /// Why a text is no JWT.
    package enum Problem: Error, Hashable, Sendable {
        case tooLong, notThreeParts, encrypted, base64(part: Int), json(part: Int)
    }

    /// Longest token that is looked at.
    package static let maximumLength = 262_144

    /// - Throws: ``Problem``; exactly three parts of canonical base64url without padding, each of the first two a
    ///   strict JSON object.
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
        case .notThreeParts: "this is no JWT: it does not have three parts"
        case .encrypted: "this is an encrypted JWT: only its addressee can read it"
        case .base64(let part): "part \(part) of the token is not base64url"
        case .json(let part): "part \(part) of the token is not a JSON object"
        }
    }
}
