/// The sign-in methods of a provider, known from its metadata before a sign-in starts.
package struct ProviderSupport: Hashable, Sendable {
    package let kind: Authority.Kind
    /// Whether its metadata has a device authorization endpoint.
    package let hasDeviceCode: Bool

    package init(kind: Authority.Kind, hasDeviceCode: Bool) {
        (self.kind, self.hasDeviceCode) = (kind, hasDeviceCode)
    }

    /// Without variants of the browser.
    package var methods: [SignInMethod] {
        (hasDeviceCode ? [.device] : []) + [.browser] + (kind == .ciam ? [.native] : [])
    }

    /// The method of a sign-in, and the reason as text.
    ///
    /// - Parameter automatic: the method of this machine for `automatic`, and the reason.
    /// - Throws: `serverError` or `usage` if the provider does not support the method.
    package func method(
        for wanted: SignInMethod, automatic: () -> (method: SignInMethod, reason: String)
    ) throws(Failure) -> (method: SignInMethod, reason: String) {
        let chosen = wanted == .automatic ? automatic() : (method: wanted, reason: "as chosen")
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
