// Providers/ holds token issuers and their endpoints. URLs are validated here; nothing connects.

/// A provider that signs users in: a validated URL, its kind, and its tenant.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of provider, which differ in protocol and cache format.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Entra ID, Azure AD B2C, AD FS, Entra External ID (`ciamlogin.com`), any other OpenID Connect provider, and a
        /// server with OAuth 2.0 alone (RFC 6749), which issues no ID tokens. The last one must be named.
        case aad, b2c, adfs, ciam, oidc, oauth2

        /// Whether it uses Entra ID's extensions: `client_info`, tenants, Microsoft's headers. AD FS does not.
        public var isEntra: Bool {
            switch self {
            case .aad, .b2c, .ciam: true
            case .adfs, .oidc, .oauth2: false
            }
        }

        /// Whether it issues tokens of an AI agent's session, by `client_session`.
        package var hasAgentSessions: Bool { self == .aad || self == .ciam }

        /// Whether the server follows the standards alone: accounts belong to the issuer's URL, byte for byte, and
        /// scopes have no form.
        package var isStandard: Bool { self == .oidc || self == .oauth2 }
    }

    /// The normalized URL without a query (see ``init(_:kind:)``); for a standard provider, the issuer, byte for byte.
    public let address: WebAddress
    /// The given kind, else the one derived from the URL.
    public let kind: Kind
    /// The tenant in the path: `organizations`, a GUID, a domain; `adfs` for AD FS; empty for plain OpenID Connect.
    public let tenant: String

    /// The reason that a string is not a valid authority.
    public enum Problem: Error, Hashable, Sendable {
        /// It is not an acceptable URL.
        case address(WebAddress.Problem)
        /// It has a query.
        case query
        /// The path has no tenant.
        case tenantMissing
        /// The path of a B2C authority has no policy.
        case policyMissing
        /// The URL is not of the kind that was given.
        case otherKind
    }

    /// - Parameters:
    ///   - text: a URL such as `https://login.microsoftonline.com/organizations`. For OpenID Connect it is kept byte
    ///     for byte, because issuers are compared that way. For the others, anything after the tenant (B2C: policy) is
    ///     dropped and missing parts are added: `/adfs` for AD FS, the tenant for `NAME.ciamlogin.com`.
    ///   - kind: the kind; derived from the URL if nil. Required for a custom domain of B2C or External ID.
    /// - Throws: ``Problem`` if the URL is not allowed or lacks a part that its kind requires.
    public init(_ text: String, kind: Kind? = nil) throws(Problem) {
        let given: WebAddress
        do { given = try WebAddress(text) } catch { throw .address(error) }
        guard given.query == nil else { throw .query }
        let derived = kind ?? Self.kind(of: given)
        let known = derived.isStandard ? KnownServer.at(given) : nil
        let found = kind ?? known?.kind ?? derived
        self.kind = found
        guard !found.isStandard else {
            let written = known.map { $0.authority(given) } ?? text
            do { address = written == text ? given : try WebAddress(written) } catch { throw .address(error) }
            tenant = ""
            return
        }
        let path = try Self.path(of: given, found)
        let written = path.reduce(into: given.origin) { $0 += "/" + $1 }
        do { address = written == text ? given : try WebAddress(written) } catch { throw .address(error) }
        tenant = found == .b2c ? Self.withoutPrefix(path).first ?? "" : path.first ?? ""
    }

    /// - Parameter tenant: a GUID.
    private init(_ other: Authority, tenant: String) {
        address = other.address.withPath(of: tenant)
        kind = other.kind
        self.tenant = tenant
    }

    /// The URL.
    public var description: String { address.text }

    /// The host name that the cache uses for this authority: lower case, without a port, as in MSAL.
    public var environment: String { address.host }

    /// The B2C policy (user flow) in the path; nil for other kinds.
    public var policy: String? { kind == .b2c ? Self.withoutPrefix(address.pathSegments).dropFirst().first : nil }

    /// Whether the tenant is `common`, `organizations` or `consumers`, which accept accounts of many tenants.
    public var isTenantIndependent: Bool { kind == .aad && Self.manyTenants.contains(tenant.asciiLowercased) }

    /// Whether its token endpoint may answer without an access token, which RFC 6749 section 5.1 requires: Azure AD B2C
    /// issues none for `openid profile` alone, whatever kind it is configured as.
    package var mayOmitAccessToken: Bool { kind == .b2c || kind == .oidc && Self.kind(of: address) == .b2c }

    /// Whether the built-in table lists this host as Microsoft's, which makes instance discovery unnecessary.
    package var isKnownCloud: Bool { Cloud.containing(host: address.host) != nil }

    /// The same host and kind with another tenant; unchanged for kinds without a tenant in the path.
    ///
    /// - Throws: ``Problem`` if the tenant is not valid in a path.
    public func withTenant(_ tenant: String) throws(Problem) -> Authority {
        guard kind == .aad || kind == .ciam else { return self }
        // A fast path: most tenants are GUIDs, and every listed account has one.
        if tenant.isGUID {
            return Authority(self, tenant: kind == .aad ? tenant.asciiLowercased : tenant)
        }
        guard !tenant.isEmpty, tenant.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }) else {
            throw .tenantMissing
        }
        return try Authority(address.origin + "/" + tenant, kind: kind)
    }

    /// Moves this authority to the user's cloud, named in an authorization response (`cloud_instance_host_name`). The
    /// caller decides whether to trust the host, which may include a port.
    package func withHost(_ host: String) throws(Problem) -> Authority {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }) else {
            throw .address(.host)
        }
        return try Authority(address.scheme + "://" + host.asciiLowercased + address.path, kind: kind)
    }

    private static let manyTenants = ["common", "organizations", "consumers"]

    /// The path segment before the tenant in B2C URLs: `tfp` (trust framework policy), or `te` in early samples. It is
    /// kept because the provider serves its metadata under it.
    private static let policyPrefixes = ["tfp", "te"]

    private static func withoutPrefix(_ segments: [String]) -> ArraySlice<String> {
        guard let first = segments.first, policyPrefixes.contains(first.asciiLowercased) else { return segments[...] }
        return segments.dropFirst()
    }

    private static func path(of given: WebAddress, _ kind: Kind) throws(Problem) -> [String] {
        let segments = given.pathSegments
        switch kind {
        case .oidc, .oauth2: return segments
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

    /// A tenant can also be named by a domain; issuer paths rarely look like one.
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
        // Paths of other providers can also begin with this segment.
        if segments.first == "te",
            Cloud.containing(host: host) != nil || segments.dropFirst(2).first?.hasPrefix("b2c_") == true
        {
            return .b2c
        }
        if segments.count >= 2, segments[1].hasPrefix("b2c_") { return .b2c }
        if segments.first == "adfs" { return .adfs }
        if Cloud.containing(host: host) != nil { return .aad }
        // An unknown host: a single segment that only Entra ID uses means Entra ID, else it is OpenID Connect.
        if segments.count == 1, manyTenants.contains(segments[0]) || segments[0].isGUID || isDomain(segments[0]) {
            return .aad
        }
        return .oidc
    }
}

extension Authority.Problem: CustomStringConvertible {
    /// Lower case, no full stop; does not quote the input.
    public var description: String {
        switch self {
        case .address(let problem): problem.description
        case .query: "an authority must not have a query"
        case .policyMissing:
            """
            no policy in the authority: use TENANT/POLICY after the host, such as \
            contoso.onmicrosoft.com/B2C_1_signin
            """
        case .otherKind: "the authority does not match the configured kind"
        case .tenantMissing:
            "no tenant in the authority: use organizations, common, consumers or the tenant ID after the host"
        }
    }
}
