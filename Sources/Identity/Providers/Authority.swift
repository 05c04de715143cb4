// Providers/ holds who issues tokens and where they are reached: addresses are checked here, and nothing is
// connected to.

/// Who signs people in: a checked address, its kind, and the tenant it names.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of provider, which differ on the wire and in the cache.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Entra ID, Azure AD B2C, AD FS, Entra External ID (`ciamlogin.com`), and any other OpenID Connect provider.
        case aad, b2c, adfs, ciam, oidc

        /// Whether it speaks Entra ID's dialect: `client_info`, tenants, Microsoft's headers. ADFS does not.
        public var isEntra: Bool {
            switch self {
            case .aad, .b2c, .ciam: true
            case .adfs, .oidc: false
            }
        }
    }

    /// The address without a query, as the `init` describes it; for OpenID Connect the issuer, byte for byte.
    public let address: WebAddress
    /// As it was given, else as it was found from the address.
    public let kind: Kind
    /// The tenant as written in the path: `organizations`, a GUID, a domain; `adfs` for ADFS; empty for plain OpenID
    /// Connect.
    public let tenant: String

    /// Why a text names no authority.
    public enum Problem: Error, Hashable, Sendable {
        case address(WebAddress.Problem)
        case query
        /// An authority of this kind needs a tenant in its path.
        case tenantMissing
        /// A B2C authority needs a policy after its tenant.
        case policyMissing
        /// The path is that of another kind than the one that was named.
        case otherKind
    }

    /// - Parameters:
    ///   - text: an address such as `https://login.microsoftonline.com/organizations`. For OpenID Connect it is kept
    ///     byte for byte, as issuers compare so. For the others what follows the tenant (B2C: the policy) is dropped,
    ///     and what is missing is put in: `/adfs` for AD FS, the tenant that the host names for External ID
    ///     (`NAME.ciamlogin.com`).
    ///   - kind: the kind when it is known; found from the address when nil. A custom domain of B2C or External ID
    ///     needs it.
    /// - Throws: ``Problem`` when the address may not be used or lacks what its kind needs.
    public init(_ text: String, kind: Kind? = nil) throws(Problem) {
        let given: WebAddress
        do { given = try WebAddress(text) } catch { throw .address(error) }
        guard given.query == nil else { throw .query }
        let found = kind ?? Self.kind(of: given)
        self.kind = found
        guard found != .oidc else {
            address = given
            tenant = ""
            return
        }
        let path = try Self.path(of: given, found)
        let written = path.reduce(into: given.origin) { $0 += "/" + $1 }
        do { address = try WebAddress(written) } catch { throw .address(error) }
        tenant = found == .b2c ? Self.withoutPrefix(path).first ?? "" : path.first ?? ""
    }

    /// - Parameter tenant: a GUID.
    private init(_ other: Authority, tenant: String) {
        address = other.address.withPath(of: tenant)
        kind = other.kind
        self.tenant = tenant
    }

    /// The address.
    public var description: String { address.text }

    /// The name under which the cache keeps entries of this authority: the host, lower-case, without a port, as MSAL
    /// writes it.
    public var environment: String { address.host }

    /// The B2C policy (user flow) as written in the path; nil for other kinds.
    public var policy: String? { kind == .b2c ? Self.withoutPrefix(address.pathSegments).dropFirst().first : nil }

    /// Whether the tenant stands for many: `common`, `organizations` or `consumers`.
    public var isTenantIndependent: Bool { kind == .aad && Self.manyTenants.contains(tenant.asciiLowercased) }

    /// Whether this host is Microsoft's by the built-in table, so that no instance discovery is needed.
    package var isKnownCloud: Bool { Cloud.containing(host: address.host) != nil }

    /// The same host and kind with another tenant; itself for kinds without tenants in the path.
    ///
    /// - Throws: ``Problem`` when the tenant cannot stand in a path.
    public func withTenant(_ tenant: String) throws(Problem) -> Authority {
        guard kind == .aad || kind == .ciam else { return self }
        // Most tenants are named so, and each account of a list has one.
        if tenant.isGUID {
            return Authority(self, tenant: kind == .aad ? tenant.asciiLowercased : tenant)
        }
        guard !tenant.isEmpty, tenant.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }) else {
            throw .tenantMissing
        }
        return try Authority(address.origin + "/" + tenant, kind: kind)
    }

    /// The same path and kind at another host: where an authorization response names the person's own cloud
    /// (`cloud_instance_host_name`).
    ///
    /// - Parameter host: a host that is known to be of a cloud, with a port if it has one; whether it may be used is
    ///   not judged here.
    /// - Throws: ``Problem`` when it is no host.
    package func withHost(_ host: String) throws(Problem) -> Authority {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }) else {
            throw .address(.host)
        }
        return try Authority(address.scheme + "://" + host.asciiLowercased + address.path, kind: kind)
    }

    private static let manyTenants = ["common", "organizations", "consumers"]

    /// What B2C addresses have before the tenant: `tfp` (trust framework policy) and the first samples' `te`. It stays
    /// in the address, since the provider's own documents lie there.
    private static let policyPrefixes = ["tfp", "te"]

    private static func withoutPrefix(_ segments: [String]) -> ArraySlice<String> {
        guard let first = segments.first, policyPrefixes.contains(first.asciiLowercased) else { return segments[...] }
        return segments.dropFirst()
    }

    /// The part of the path that is the authority's.
    private static func path(of given: WebAddress, _ kind: Kind) throws(Problem) -> [String] {
        let segments = given.pathSegments
        switch kind {
        case .oidc: return segments
        case .adfs: return ["adfs"]
        case .aad:
            guard let tenant = segments.first else { throw .tenantMissing }
            guard !policyPrefixes.contains(tenant.asciiLowercased), tenant.asciiLowercased != "adfs" else {
                throw .otherKind
            }
            return [tenant.asciiLowercased]
        case .b2c:
            let rest = withoutPrefix(segments)
            guard !rest.isEmpty else { throw .tenantMissing }
            guard rest.count >= 2 else { throw .policyMissing }
            return Array(segments.prefix(segments.count - rest.count + 2))
        case .ciam:
            if let tenant = segments.first { return [tenant] }
            guard given.host.hasSuffix(".ciamlogin.com"), let name = given.host.split(separator: ".").first else {
                throw .tenantMissing
            }
            return [name + ".onmicrosoft.com"]
        }
    }

    /// Tenants are also named by a domain of theirs; an issuer's path hardly ever looks like one.
    private static func isDomain(_ segment: String) -> Bool {
        let labels = segment.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy {
                !$0.isEmpty
                    && $0.utf8.allSatisfy {
                        $0 == 0x2D || $0 < 0x80 && Character(UnicodeScalar($0)).isLetter || (0x30...0x39).contains($0)
                    }
            }
    }

    private static func kind(of address: WebAddress) -> Kind {
        let segments = address.pathSegments.map(\.asciiLowercased)
        let host = address.host
        if host.hasSuffix(".ciamlogin.com") { return .ciam }
        if [".b2clogin.com", ".b2clogin.cn", ".b2clogin.us", ".b2clogin.de"].contains(where: host.hasSuffix) {
            return .b2c
        }
        if segments.first == "tfp" { return .b2c }
        // Other providers may have a path that begins so.
        if segments.first == "te",
            Cloud.containing(host: host) != nil || segments.dropFirst(2).first?.hasPrefix("b2c_") == true
        {
            return .b2c
        }
        if segments.count >= 2, segments[1].hasPrefix("b2c_") { return .b2c }
        if segments.first == "adfs" { return .adfs }
        if Cloud.containing(host: host) != nil { return .aad }
        // A host of nobody's table: Entra's shape is one segment that only Entra uses; everything else is an OpenID
        // Connect issuer.
        if segments.count == 1, manyTenants.contains(segments[0]) || segments[0].isGUID || isDomain(segments[0]) {
            return .aad
        }
        return .oidc
    }
}

extension Authority.Problem: CustomStringConvertible {
    /// Lower case, no full stop; quotes nothing of what was given.
    public var description: String {
        switch self {
        case .address(let problem): problem.description
        case .query: "an authority has no query"
        case .policyMissing:
            """
            the authority names no policy; write TENANT/POLICY after the host, such as \
            contoso.onmicrosoft.com/B2C_1_signin
            """
        case .otherKind: "the authority is of another kind than the one that is set for it"
        case .tenantMissing:
            "the authority names no tenant; write organizations, common, consumers or the tenant's id after the host"
        }
    }
}
