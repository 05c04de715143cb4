package import Identity

/// What an authorization response must answer to.
package struct AuthorizationExpectation: Sendable {
    let state: Secret
    let metadata: ProviderMetadata
    let responseMode: ResponseMode
    let isRecognized: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - state: what the authorization request carried.
    ///   - metadata: of the provider that it went to.
    ///   - responseMode: what the request asked for: a form is taken only when one was.
    ///   - isRecognized: whether a host that the answer names is of a known cloud:
    ///     ``InstanceDiscovery/isRecognized(_:)`` where one is available.
    package init(
        state: String, metadata: ProviderMetadata, responseMode: ResponseMode = .query,
        isRecognized: @escaping @Sendable (String) -> Bool = { Cloud.containing(host: $0) != nil }
    ) {
        self.state = Secret(state)
        self.metadata = metadata
        self.responseMode = responseMode
        self.isRecognized = isRecognized
    }

    /// Whether the fields answer this request and no other, compared in constant time.
    func hasRightState(_ fields: [String: String]) -> Bool {
        fields["state"].map { Secret($0).isEqual(constantTime: state) } ?? false
    }

    /// Reads the fields of a redirect: state first, then the issuer (RFC 9207 section 2.4), then the answer.
    func answer(_ fields: [String: String]) throws(WireError) -> AuthorizationAnswer {
        guard hasRightState(fields) else {
            throw .untrusted(check: .state, detail: "this is not the answer to the request that was sent")
        }
        if let found = fields["iss"] {
            // I1, I3: compared whether announced or not.
            guard metadata.isIssuer(found) else {
                throw .untrusted(check: .issuer, detail: "the answer comes from another provider")
            }
        } else if metadata.announcesIssuer, fields["error"] == nil {
            // I2; an error redirect without iss is let through: there is nothing in it to steal, and providers forget
            // it there.
            throw .untrusted(check: .issuer, detail: "the provider promised to name itself in its answer and did not")
        }
        if let error = fields["error"] {
            let sent = SentSecrets([state])
            return .refused(
                OAuthError(
                    error: OAuthError.clean(sent.removed(from: error), limit: 100),
                    description: fields["error_description"].map { OAuthError.clean(sent.removed(from: $0)) },
                    suberror: fields["error_subcode"].map { OAuthError.clean(sent.removed(from: $0), limit: 100) }))
        }
        guard let code = fields["code"], AuthorizationAnswer.isCode(code) else {
            throw .untrusted(check: .code, detail: "the answer has no code")
        }
        // Any other host is as good as none named: the token then comes from the authority that was asked.
        let host = fields["cloud_instance_host_name"]?.asciiLowercased
        return .code(Secret(code), cloudHost: host.flatMap { isRecognized($0) ? $0 : nil })
    }
}

/// What the provider sent back through the browser.
package enum AuthorizationAnswer: Sendable {
    /// A code; and the person's own cloud where it is another one than was asked and is known: the code is redeemed
    /// there (`Authority.withHost(_:)`).
    case code(Secret, cloudHost: String? = nil)
    case refused(OAuthError)

    /// RFC 6749 appendix A.11: visible ASCII.
    static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 8192 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// What a person pastes when the listener cannot be reached: the address that the browser ended on, or the code in it.
package enum PastedRedirect {
    private static let mostBytes = 16_384

    /// What a pasted text is.
    package enum Answer: Sendable {
        /// An address that answers the request.
        case address(AuthorizationAnswer)
        /// What may be the code alone: any word without a sign of an address.
        case code(Secret)
    }

    /// - Throws: `untrusted` when an address fails the checks of a redirect. A bare code has no state; PKCE and the
    ///   nonce bind it to this request.
    package static func answer(_ pasted: String, _ expectation: AuthorizationExpectation) throws(WireError) -> Answer {
        guard pasted.utf8.count <= mostBytes else {
            throw .untrusted(check: .redirect, detail: "the text is too long for an address")
        }
        // Terminals wrap long lines, and selecting them brings the breaks along.
        let text = String(pasted.filter { !$0.isWhitespace })
        guard ["?", "://", "&", "#"].contains(where: { text.contains($0) }) else {
            guard AuthorizationAnswer.isCode(text) else {
                throw .untrusted(check: .code, detail: "this is neither an address nor a code")
            }
            return .code(Secret(text))
        }
        let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        // A provider that answers after # is read only here: the listener never sees it. What stands in the query goes
        // first.
        let isInFragment = halves.count == 2 && !halves[1].isEmpty && !halves[0].contains("state=")
        guard let fields = FormEncoding.decode(String(isInFragment ? halves[1] : query)) else {
            throw .untrusted(check: .redirect, detail: "the address cannot be read")
        }
        return .address(try expectation.answer(fields))
    }
}
