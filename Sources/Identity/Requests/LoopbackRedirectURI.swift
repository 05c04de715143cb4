/// A redirect URI on which a program of this machine can receive the response of a browser (RFC 8252 section 7.3):
/// `http` on a loopback host, without a query. Others, such as an app's own scheme, cannot be received.
package enum LoopbackRedirectURI {
    /// Nil for another one.
    package static func address(_ text: String) -> WebAddress? {
        guard let address = try? WebAddress(text), address.isLoopback, !address.isSecure, address.query == nil else {
            return nil
        }
        return address
    }

    /// - Parameters:
    ///   - name: of the option or setting, for the message.
    ///   - code: `usage` for an option, else `configuration`.
    /// - Throws: `code` for another one, before anything is sent.
    package static func check(_ text: String, named name: String, code: Failure.Code) throws(Failure) {
        guard address(text) == nil else { return }
        throw Failure(
            code, "\(name) must be a loopback http URI, not \(text.prefix(200))",
            hint: "write http://localhost, or http://127.0.0.1:8400/ for a provider that compares port and path")
    }
}
