/// What accounts, tokens and proof keys of AD FS and OpenID Connect providers belong to: scheme, host, port and path
/// together, since one host may have several issuers that know nothing of each other (OpenID Connect Core section 2,
/// `iss`).
///
/// MSAL's schema keeps the host alone, as ``Account/environment``; the issuer is kept beside it.
package enum Issuer {
    /// One spelling for each issuer, to be compared byte for byte: without the scheme's own port, and without a slash
    /// at the end, which providers write and leave out as they like.
    ///
    /// - Parameter text: an `iss` claim, or the issuer that is set by hand; what is no address stays as it is.
    package static func normalized(_ text: String) -> String {
        guard let address = try? WebAddress(text), address.query == nil else { return text }
        return normalized(address)
    }

    static func normalized(_ address: WebAddress) -> String {
        var path = address.path[...]
        while path.hasSuffix("/") { path.removeLast() }
        // AD FS has one path, in whatever case it is typed.
        if path.asciiLowercased == "/adfs" { path = "/adfs" }
        return address.originWithoutUsualPort + path
    }
}

extension WebAddress {
    /// The origin, the port left out where it is the scheme's own.
    package var originWithoutUsualPort: String {
        guard port == (isSecure ? 443 : 80) else { return origin }
        return String(origin.dropLast(isSecure ? 4 : 3))
    }
}

extension Authority {
    /// The issuer whose accounts and tokens this authority has, as ``Issuer`` spells it; nil for Entra ID, B2C and
    /// External ID, whose accounts belong to a cloud or tenant.
    package var issuer: String? { kind.isEntra ? nil : Issuer.normalized(address) }

    /// The provider in words: the issuer, or the host of a cloud, with scheme and port where they are not the usual
    /// ones.
    package var provider: String {
        if let issuer { return issuer }
        let origin = address.originWithoutUsualPort
        return origin == "https://" + address.host ? address.host : origin
    }
}

extension Account {
    /// The provider in words: the issuer where one is known, else the host.
    package var provider: String { issuer ?? environment }
}
