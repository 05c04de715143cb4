// Explain has explanations of server codes, scopes, claims, tokens and consent: tables and pure functions. It must not
// decide anything: the handling of a failure depends on ServerCode.Effect and its code, never on these sentences.
//
// Errors/ explains the numbers in Identity's ServerCode.

public import Identity

/// The meaning of a numbered error from Microsoft's providers, what to do, and who has to do it. The sentences are our
/// own, not the providers'.
public struct ServerCodeMeaning: Hashable, Sendable {
    /// The party that can solve the problem.
    public enum Responsible: Hashable, Sendable, CaseIterable {
        /// The user who signs in or runs the program.
        case you
        /// An administrator of the tenant.
        case administrator
        /// The developer of the application, or the owner of its registration.
        case owner
        /// It is temporary.
        case nobody
    }

    /// The provider that defines the number.
    public let origin: ServerCode.Origin
    /// Without the prefix.
    public let number: Int
    /// The party that can solve the problem.
    public let responsible: Responsible
    /// The problem: lower case, without a final period.
    public let explanation: String
    /// The solution: lower case, without a final period.
    public let remedy: Failure.Hint

    /// The number with the provider's prefix: `AADSTS50076`.
    public var label: String { origin.rawValue + String(number) }

    init(
        _ number: Int, _ responsible: Responsible, _ explanation: String, _ remedy: Failure.Hint,
        origin: ServerCode.Origin = .entra
    ) {
        self.origin = origin
        self.number = number
        self.responsible = responsible
        self.explanation = explanation
        self.remedy = remedy
    }

    private struct CodeKey: Hashable {
        let origin: ServerCode.Origin
        let number: Int
    }

    /// Created at the first failure.
    private static let table: [CodeKey: ServerCodeMeaning] = Dictionary(
        all.map { (CodeKey(origin: $0.origin, number: $0.number), $0) }, uniquingKeysWith: { first, _ in first })

    static var all: [ServerCodeMeaning] {
        [
            persons, secondFactors, policies, applications, requests, services, passwords, federation, b2c, b2cRequests,
            b2cPolicies, adfs,
        ].flatMap(\.self)
    }

    /// - Returns: nil for a number without an explanation.
    public static func of(_ number: Int, origin: ServerCode.Origin = .entra) -> ServerCodeMeaning? {
        table[CodeKey(origin: origin, number: number)]
    }
}

extension ServerCode {
    /// The explanation of the number, if there is one.
    public var meaning: ServerCodeMeaning? { ServerCodeMeaning.of(number, origin: origin) }
}

extension Failure {
    /// The explanations of the provider's numbers that say most, as far as known, with the values of its description.
    public var explanations: [ServerCodeMeaning] {
        ServerCode.known(serverCodes, origin: serverCodeOrigin, error: oauthError).compactMap {
            $0.meaning?.stating(oauthDescription)
        }
    }
}
