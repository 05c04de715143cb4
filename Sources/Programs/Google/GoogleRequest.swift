package import CommandSupport
package import Identity
import StrictJSON

/// The contract of Google's libraries with an executable that gets them a token of another provider: variables of the
/// environment, an object on standard output, and that in a file as well where one is named.
package struct GoogleRequest: Hashable, Sendable {
    /// Whether a person may be asked; the answer is then read from the file.
    package let isInteractive: Bool
    /// Where the answer is kept for the next time.
    package let outputFile: String?
    private let tokenType: String

    private static let types = ["id_token", "jwt"].map { "urn:ietf:params:oauth:token-type:" + $0 }

    /// - Throws: `usage` for a token that no OpenID Connect provider issues, and for a revocation.
    package init(_ environment: ProcessEnvironment) throws(Failure) {
        func value(_ name: String) -> String? { environment["GOOGLE_EXTERNAL_ACCOUNT_" + name] }
        guard value("REVOKE") != "1" else { throw Failure(.usage, "sign out with \"foyer sign-out\"") }
        tokenType = value("TOKEN_TYPE") ?? Self.types[0]
        guard Self.types.contains(tokenType) else {
            throw Failure(.usage, "foyer has no tokens of the type \(tokenType.prefix(80))")
        }
        isInteractive = value("INTERACTIVE") == "1"
        outputFile = value("OUTPUT_FILE").flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    package func answer(_ token: IssuedToken) -> String {
        JSONValue(
            ("version", 1), ("success", true), ("token_type", tokenType.json), ("id_token", token.secret.reveal().json),
            ("expiration_time", JSONValue(integer: token.expiresAt))
        ).serialized() + "\n"
    }

    /// The library shows the message; it would print what an exit status of another kind comes with as it is.
    package static func refusal(_ failure: Failure) -> String {
        JSONValue(
            ("version", 1), ("success", false), ("code", failure.code.rawValue.json),
            ("message", failure.messageAndStep.json)
        ).serialized() + "\n"
    }
}
