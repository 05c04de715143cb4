package import CommandSupport
package import Identity
import StrictJSON

/// The protocol between Google's libraries and an executable that supplies another provider's token: input in
/// environment variables, a JSON object on standard output, and a copy in a file if one is named.
package struct GoogleRequest: Hashable, Sendable {
    /// Whether the user may be prompted; the library then reads the response from the file.
    package let isInteractive: Bool
    package let outputFile: String?
    private let tokenType: String

    private static let types = ["id_token", "jwt"].map { "urn:ietf:params:oauth:token-type:" + $0 }

    package init(_ environment: ProcessEnvironment) throws(Failure) {
        func value(_ name: String) -> String? { environment["GOOGLE_EXTERNAL_ACCOUNT_" + name] }
        guard value("REVOKE") != "1" else { throw Failure(.usage, "sign out with \"foyer sign-out\"") }
        tokenType = value("TOKEN_TYPE") ?? Self.types[0]
        guard Self.types.contains(tokenType) else {
            throw Failure(.usage, "unsupported token type \(tokenType.prefix(80))")
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

    /// The library shows only this message; for other failing exit statuses it shows the raw output.
    package static func refusal(_ failure: Failure) -> String {
        JSONValue(
            ("version", 1), ("success", false), ("code", failure.code.rawValue.json),
            ("message", failure.messageAndSteps.json)
        ).serialized() + "\n"
    }
}
