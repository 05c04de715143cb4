/// The sign-in methods of a provider, known from its metadata before a sign-in starts.
package struct ProviderSupport: Hashable, Sendable {
    package let kind: Authority.Kind
    /// Whether its metadata has a device authorization endpoint.
    package let hasDeviceCode: Bool
    /// The need for a client secret that the client does not meet.
    package var missingSecret = KnownServer.SecretNeed.none
    /// Whether the server says who signed in; otherwise the request must name the account.
    package var namesAccount = true

    package init(kind: Authority.Kind, hasDeviceCode: Bool) {
        (self.kind, self.hasDeviceCode) = (kind, hasDeviceCode)
    }

    /// Without variants of the browser.
    package var methods: [SignInMethod] {
        (hasDeviceCode ? [.device] : []) + (missingSecret == .browserOnly ? [] : [.browser])
            + (kind == .ciam ? [.native] : [])
    }

    /// The method of a sign-in, and the reason as text.
    ///
    /// - Parameter automatic: the method of this machine for `automatic`, and the reason.
    /// - Throws: `serverError` or `usage` if the provider does not support the method.
    package func method(
        for wanted: SignInMethod, automatic: () -> (method: SignInMethod, reason: String)
    ) throws(Failure) -> (method: SignInMethod, reason: String) {
        let chosen = wanted == .automatic ? automatic() : (method: wanted, reason: "as chosen")
        // A published secret is not certain: some of Google's clients have none.
        guard missingSecret != .always else {
            throw Failure(
                .configuration, "this provider's clients need a secret", hint: .setClientSecret(isRequired: true))
        }
        if missingSecret == .browserOnly, chosen.method != .device {
            guard wanted == .automatic, hasDeviceCode else {
                throw Failure(
                    .configuration, "the provider's browser sign-in needs a client secret",
                    hint: hasDeviceCode ? .useMethod([.device]) : .setClientSecret(isRequired: true))
            }
            return (.device, "without a client secret")
        }
        if chosen.method == .device, !hasDeviceCode {
            guard wanted == .automatic else {
                throw Failure(.serverError, "the provider does not support device codes", hint: .useMethod([.browser]))
            }
            return (.browser, "the provider does not support device codes")
        }
        if chosen.method == .native, kind != .ciam {
            throw Failure(
                .usage, "only Entra External ID supports native sign-in", hint: .useMethod([.browser, .device]))
        }
        return chosen
    }
}

extension Authority.Kind {
    /// Whether a request may choose a tenant. B2C's is part of the authority, and a chosen one changes nothing.
    package var hasTenants: Bool {
        switch self {
        case .aad, .ciam, .b2c: true
        case .adfs, .oidc, .oauth2: false
        }
    }

    /// Whether a request may have a claims request (OpenID Connect Core section 5.5), which OAuth alone does not have.
    package var takesClaims: Bool {
        switch self {
        case .aad, .ciam, .b2c, .adfs, .oidc: true
        case .oauth2: false
        }
    }

    /// The product, as users know it.
    package var words: String {
        switch self {
        case .aad: "Microsoft Entra ID"
        case .b2c: "Azure AD B2C"
        case .adfs: "AD FS"
        case .ciam: "Entra External ID"
        case .oidc: "OpenID Connect"
        case .oauth2: "OAuth 2.0"
        }
    }
}
