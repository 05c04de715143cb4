// Explain says what a server code, a scope, a claim, a token or a consent means to a person: tables and pure functions.
// It must not decide anything: what a call does about a refusal is read from ServerCode.Effect and from the failure's
// code, never from these texts.
//
// Errors/ has the sentences for the numbers that Identity's ServerCode knows.

public import Identity

/// What a numbered error of Microsoft's providers means: what is so, what to do, and who has to do it. The numbers are
/// the providers'; the sentences are ours.
public struct ServerCodeMeaning: Hashable, Sendable {
    /// Who has to do something about it.
    public enum Responsible: Hashable, Sendable, CaseIterable {
        /// Whoever signs in, or runs the program.
        case you
        case administrator
        /// Whoever made or registered the application.
        case owner
        /// It passes by itself.
        case nobody
    }

    /// Whose number it is.
    public let origin: ServerCode.Origin
    /// Without what stands before it.
    public let number: Int
    /// Who has to do something.
    public let responsible: Responsible
    /// What is so: lower case, no full stop.
    public let explanation: String
    /// What to do: lower case, no full stop.
    public let remedy: Failure.Hint

    /// The number as the provider writes it: `AADSTS50076`.
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

    /// Made when the first failure asks for it, and not before.
    private static let table: [CodeKey: ServerCodeMeaning] = Dictionary(
        all.map { (CodeKey(origin: $0.origin, number: $0.number), $0) }, uniquingKeysWith: { first, _ in first })

    static var all: [ServerCodeMeaning] {
        persons + secondFactors + policies + applications + requests + services + otherProviders
    }

    /// - Returns: nil for a number that is not explained.
    public static func of(_ number: Int, origin: ServerCode.Origin = .entra) -> ServerCodeMeaning? {
        table[CodeKey(origin: origin, number: number)]
    }
}

extension ServerCode {
    /// What the number means in words.
    public var meaning: ServerCodeMeaning? { ServerCodeMeaning.of(number, origin: origin) }
}

extension Failure {
    /// What the provider's numbers mean, as far as they are known.
    public var explanations: [ServerCodeMeaning] {
        ServerCode.known(serverCodes, origin: serverCodeOrigin, error: oauthError).compactMap(\.meaning)
    }
}
