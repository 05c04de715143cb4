package import Identity

package struct AuthorizationExpectation: Sendable {
    let state: Secret
    let metadata: ProviderMetadata
    let responseMode: ResponseMode
    let isRecognized: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - responseMode: of the request; a form is accepted only if requested.
    ///   - isRecognized: whether a host in the response is in a known cloud; use ``InstanceDiscovery/isRecognized(_:)``
    ///     if available.
    package init(
        state: String, metadata: ProviderMetadata, responseMode: ResponseMode = .query,
        isRecognized: @escaping @Sendable (String) -> Bool = { Cloud.containing(host: $0) != nil }
    ) {
        self.state = Secret(state)
        self.metadata = metadata
        self.responseMode = responseMode
        self.isRecognized = isRecognized
    }

    /// Compared in constant time.
    func hasRightState(_ fields: [String: String]) -> Bool {
        fields["state"].map { Secret($0).isEqual(constantTime: state) } ?? false
    }

    /// Reads a redirect's fields: state first, then the issuer (RFC 9207 section 2.4), then the result.
    ///
    /// An error without the announced `iss` is accepted as the error that it is: providers leave it out there, and with
    /// the right state it contains nothing that could be sent to the wrong server.
    func answer(_ fields: [String: String]) throws(WireError) -> AuthorizationAnswer {
        guard hasRightState(fields) else {
            throw .untrusted(check: .state, detail: "state mismatch: not the response to this request")
        }
        if let found = fields["iss"] {
            // Compared even if not announced.
            guard metadata.isIssuer(found) else {
                throw .untrusted(check: .issuer, detail: "the response is from another issuer")
            }
        } else if metadata.announcesIssuer, fields["error"] == nil {
            throw .untrusted(check: .issuer, detail: "\"iss\" is missing from the response")
        }
        if let error = fields["error"] {
            let sent = SecretRedactor([state])
            return .refused(
                OAuthError(
                    error: OAuthError.clean(sent.removed(from: error), limit: 100),
                    description: fields["error_description"].map { OAuthError.clean(sent.removed(from: $0)) },
                    suberror: fields["error_subcode"].map { OAuthError.clean(sent.removed(from: $0), limit: 100) }))
        }
        guard let code = fields["code"], AuthorizationAnswer.isCode(code) else {
            throw .untrusted(check: .code, detail: "no code in the response")
        }
        // Ignore an unknown host: the requested authority then issues the token.
        let host = fields["cloud_instance_host_name"]?.asciiLowercased
        return .code(Secret(code), cloudHost: host.flatMap { isRecognized($0) ? $0 : nil })
    }
}

package enum AuthorizationAnswer: Sendable {
    /// A code; redeemed in the user's own cloud if that is a different, known one (`Authority.withHost(_:)`).
    case code(Secret, cloudHost: String? = nil)
    case refused(OAuthError)

    /// RFC 6749 appendix A.11: visible ASCII.
    static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 8192 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// User input if the listener cannot be reached: the URL where the browser ended, or the code in it.
package enum PastedRedirect {
    private static let mostBytes = 16_384

    package enum Answer: Sendable {
        case address(AuthorizationAnswer)
        /// Possibly a code alone: any word that does not look like a URL.
        case code(Secret)
    }

    /// - Throws: `untrusted` if a URL fails the checks of a redirect. A bare code has no state; PKCE and the nonce bind
    ///   it to this request.
    package static func answer(_ pasted: String, _ expectation: AuthorizationExpectation) throws(WireError) -> Answer {
        guard pasted.utf8.count <= mostBytes else {
            throw .untrusted(check: .redirect, detail: "too long for a URL")
        }
        // Selecting wrapped lines in a terminal copies the line breaks.
        let text = String(pasted.filter { !$0.isWhitespace })
        guard ["?", "://", "&", "#"].contains(where: { text.contains($0) }) else {
            guard AuthorizationAnswer.isCode(text) else {
                throw .untrusted(check: .code, detail: "not a URL or a code")
            }
            return .code(Secret(text))
        }
        let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        // A response after # is possible only here, as the listener never receives it. The query takes precedence.
        let isInFragment = halves.count == 2 && !halves[1].isEmpty && !halves[0].contains("state=")
        guard let fields = FormEncoding.decode(String(isInFragment ? halves[1] : query)) else {
            throw .untrusted(check: .redirect, detail: "malformed URL")
        }
        return .address(try expectation.answer(fields))
    }
}
