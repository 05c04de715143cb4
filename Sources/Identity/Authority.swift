/// Who signs people in: a checked address, its kind, and the tenant it names.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The families of provider, told apart because they differ on the wire and in the cache.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case aad, b2c, adfs, ciam, oidc

        /// Whether it speaks Entra ID's dialect: `client_info`, tenants, Microsoft's headers. ADFS does not.
        public var isEntra: Bool {
            switch self {
            case .aad, .b2c, .ciam: true
            case .adfs, .oidc: false
            }
        }
    }

    public let address: WebAddress
    public let kind: Kind

    /// Why a text names no authority.
    public enum Problem: Error, Hashable, Sendable {
        case address(WebAddress.Problem)
        case query
        /// An authority of this kind needs a tenant in its path.
        case tenantMissing
    }

    /// - Parameters:
    ///   - text: an address such as `https://login.microsoftonline.com/organizations`; a trailing slash is dropped for Entra kinds and kept
    ///     for OpenID Connect, whose issuers compare byte for byte.
    ///   - kind: the kind when it is known; found from the address when nil.
    /// - Throws: ``Problem`` when the address may not be used or lacks what its kind needs.
    public init(_ text: String, kind: Kind? = nil) throws(Problem) {
        let given: WebAddress
        do { given = try WebAddress(text) } catch { throw .address(error) }
        guard given.query == nil else { throw .query }
        let found = kind ?? Self.kind(of: given)
        if found == .aad, given.pathSegments.isEmpty { throw .tenantMissing }
        if found == .oidc {
            address = given
        } else {
            do { address = try WebAddress(given.origin + given.pathSegments.map { "/" + $0 }.joined()) } catch { throw .address(error) }
        }
        self.kind = found
    }

    public var description: String { address.text }

    /// The name under which the cache keeps entries of this authority: the host, lower-case, without a port, as MSAL writes it.
    public var environment: String { address.host }

    /// The tenant as written in the path: `organizations`, a GUID, a domain; `adfs` for ADFS; empty for plain OpenID Connect.
    public var tenant: String {
        switch kind {
        case .aad, .b2c: address.pathSegments.first ?? ""
        case .adfs: "adfs"
        case .ciam: address.pathSegments.first ?? (address.host.split(separator: ".").first.map { $0 + ".onmicrosoft.com" } ?? "")
        case .oidc: ""
        }
    }

    /// Whether the tenant stands for many: `common`, `organizations` or `consumers`.
    public var isTenantIndependent: Bool { kind == .aad && Self.manyTenants.contains(tenant.asciiLowercased) }

    /// Whether this host is Microsoft's by the built-in table, so that no instance discovery is needed.
    public var isKnownCloud: Bool { Cloud.containing(host: address.host) != nil }

    /// The same host and kind with another tenant; itself for kinds without tenants in the path.
    ///
    /// - Throws: ``Problem`` when the tenant cannot stand in a path.
    public func withTenant(_ tenant: String) throws(Problem) -> Authority {
        guard kind == .aad || kind == .ciam else { return self }
        guard !tenant.isEmpty, tenant.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }) else { throw .tenantMissing }
        return try Authority(address.origin + "/" + tenant, kind: kind)
    }

    private static let manyTenants: Set<String> = ["common", "organizations", "consumers"]

    /// Tenants are also named by a domain of theirs; an issuer's path hardly ever looks like one.
    private static func isDomain(_ segment: String) -> Bool {
        let labels = segment.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy {
                !$0.isEmpty
                    && $0.utf8.allSatisfy { $0 == 0x2D || $0 < 0x80 && Character(UnicodeScalar($0)).isLetter || (0x30...0x39).contains($0) }
            }
    }

    private static func kind(of address: WebAddress) -> Kind {
        let segments = address.pathSegments.map(\.asciiLowercased)
        let host = address.host
        if host.hasSuffix(".ciamlogin.com") { return .ciam }
        if [".b2clogin.com", ".b2clogin.cn", ".b2clogin.us", ".b2clogin.de"].contains(where: host.hasSuffix) { return .b2c }
        if segments.count >= 2, segments[1].hasPrefix("b2c_") { return .b2c }
        if segments.first == "adfs" { return .adfs }
        if Cloud.containing(host: host) != nil { return .aad }
        // A host of nobody's table: Entra's shape is one segment that only Entra uses; everything else is an OpenID Connect issuer.
        if segments.count == 1, manyTenants.contains(segments[0]) || segments[0].isGUID || isDomain(segments[0]) { return .aad }
        return .oidc
    }
}

extension Authority.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .address(let problem): problem.description
        case .query: "an authority has no query"
        case .tenantMissing: "the authority names no tenant; write organizations, common, consumers or the tenant's id after the host"
        }
    }
}
