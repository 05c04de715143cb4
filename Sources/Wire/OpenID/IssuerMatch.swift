import Identity

/// Issuers accepted in an authority's metadata. Microsoft's products do not follow OpenID Connect Discovery.
struct IssuerMatch {
    let authority: Authority
    let manual: EndpointOverrides
    let aliases: [String]

    /// The issuer of a provider without metadata.
    static func assumed(of authority: Authority) -> String {
        guard authority.kind == .b2c else { return authority.address.text }
        let tenant = authority.tenant.isGUID ? authority.tenant.asciiLowercased : ProviderMetadata.placeholder
        return "\(authority.address.origin)/\(tenant)/v2.0/"
    }

    func accepts(_ issuer: String) -> Bool {
        // Bytes, not characters: Swift treats some Unicode look-alikes as equal, such as the Kelvin sign.
        if let set = manual.issuer { return set.utf8.elementsEqual(issuer.utf8) }
        if authority.kind.isStandard {
            // RFC 8414 section 3.3, but ignoring a trailing slash, which the document's URL does not reveal.
            let asked = authority.address.text
            return [asked, asked + "/"].contains { $0.utf8.elementsEqual(issuer.utf8) }
                || asked.utf8.elementsEqual((issuer + "/").utf8)
        }
        let filled = issuer.replacing(ProviderMetadata.placeholder, with: "00000000-0000-0000-0000-000000000000")
        guard let address = try? WebAddress(filled), address.query == nil else { return false }
        let isTemplate = filled != issuer
        switch authority.kind {
        case .oidc, .oauth2: return false
        case .aad: return isOfCloud(address) && (!authority.tenant.isGUID || isAskedTenant(address.pathSegments.first))
        case .b2c:
            // A domain as tenant does not tell the GUID, and neither do endpoints by hand.
            let mayBeTemplate = manual.authorization != nil && manual.token != nil
            return (!isTemplate || mayBeTemplate) && isSameOrigin(address) && isPolicyIssuer(address.pathSegments)
        case .ciam: return !isTemplate && isExternalID(address)
        // AD FS 2019 and later.
        case .adfs:
            return !isTemplate && isSameOrigin(address) && address.pathSegments.map(\.asciiLowercased) == ["adfs"]
        }
    }

    private func isSameOrigin(_ address: WebAddress) -> Bool {
        let asked = authority.address
        return address.host == asked.host && address.port == asked.port && address.isSecure == asked.isSecure
    }

    /// The same host, or another name of its cloud: documents in China always name the same host.
    private func isOfCloud(_ address: WebAddress) -> Bool {
        if isSameOrigin(address) { return true }
        return address.isSecure && address.port == nil
            && (Cloud.isSame(address.host, authority.address.host) || aliases.contains(address.host))
    }

    private func isAskedTenant(_ segment: String?) -> Bool {
        segment?.asciiLowercased == authority.tenant.asciiLowercased
    }

    /// `https://HOST/TENANT-GUID/v2.0/`, or with the policy `https://HOST/tfp/TENANT-GUID/POLICY/v2.0/`.
    private func isPolicyIssuer(_ segments: [String]) -> Bool {
        var rest = segments.map(\.asciiLowercased)[...]
        let namesPolicy = rest.first == "tfp"
        if namesPolicy { rest = rest.dropFirst() }
        guard let tenant = rest.popFirst(), tenant.isGUID, !authority.tenant.isGUID || isAskedTenant(tenant) else {
            return false
        }
        if namesPolicy, rest.popFirst() != authority.policy?.asciiLowercased { return false }
        return rest == ["v2.0"]
    }

    /// `https://TENANT-GUID.ciamlogin.com/TENANT-GUID/v2.0`, also for a custom domain; or the authority's origin with
    /// the tenant's GUID.
    private func isExternalID(_ address: WebAddress) -> Bool {
        guard let tenant = address.pathSegments.first, tenant.isGUID, address.pathSegments.dropFirst() == ["v2.0"]
        else { return false }
        guard !authority.tenant.isGUID || isAskedTenant(tenant) else { return false }
        if isSameOrigin(address) { return true }
        return address.isSecure && address.port == nil && address.host == tenant.asciiLowercased + ".ciamlogin.com"
    }
}
