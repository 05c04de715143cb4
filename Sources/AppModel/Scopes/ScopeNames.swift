import Explain
import Identity

enum ScopeNames {
    static let openID = "who you are (OpenID Connect)"
    private static let provider = "provider scopes"

    static func short(_ scope: String) -> String {
        guard scope.hasScheme || scope.hasPrefix("api:") else { return scope }
        let slash = UInt8(ascii: "/")
        guard let last = scope.utf8.lastIndex(where: { $0 != slash }) else { return scope }
        let name = scope.utf8[...last]
        return String(Substring(name[(name.lastIndex(of: slash).map(name.index(after:)) ?? name.startIndex)...]))
    }

    /// The resource's name for a narrow column: without the vendor, and empty for scopes of the provider.
    static func shortResource(of scopes: ScopeSet, at issuer: ScopeIssuer) -> String {
        let name = resource(of: scopes, at: issuer)
        switch name {
        case provider: return ""
        case "Azure Resource Manager": return "Azure"
        default:
            let vendor = ["Microsoft ", "Azure "].first(where: name.hasPrefix)
            return vendor.map { String(name.dropFirst($0.count)) } ?? name
        }
    }

    /// Whether it is a scope of OpenID Connect itself.
    static func isOpenID(_ scope: String) -> Bool {
        ["openid", "profile", "email", "offline_access", "address", "phone"].contains(scope.asciiLowercased)
    }

    static func resource(of scope: String, at issuer: ScopeIssuer) -> String {
        if isOpenID(scope) { return openID }
        guard let slash = scope.utf8.lastIndex(of: UInt8(ascii: "/")), scope.hasScheme || scope.isGUIDPrefixed else {
            return issuer.title ?? provider
        }
        let resource = String(scope[..<slash])
        let name = ScopeMeaning.resourceName(resource)
        // Graph scopes occur with and without a URL: both belong to one resource.
        if hasPlainName(resource) { return name }
        return name == resource ? resource : "\(name) (\(resource))"
    }

    /// The resource of the first scope that is not OpenID Connect's, without the URL that the inspector shows; empty
    /// without such a scope.
    static func resource(of scopes: ScopeSet, at issuer: ScopeIssuer) -> String {
        guard let scope = scopes.names.first(where: { !isOpenID($0) }) else { return "" }
        let name = resource(of: scope, at: issuer)
        guard let end = name.utf8.firstIndex(of: UInt8(ascii: "(")), end > name.startIndex else { return name }
        let space = name.utf8.index(before: end)
        return name.utf8[space] == UInt8(ascii: " ") ? String(name[..<space]) : name
    }

    /// Whether the product's name is enough without the resource's URL.
    private static func hasPlainName(_ resource: String) -> Bool {
        [ScopeMeaning.graph, ScopeMeaning.googleAPIs, "https://mail.google.com"].contains(resource.asciiLowercased)
    }

    /// Whether a scope can be shown without its resource, which is shown as well.
    static func isShort(_ scope: String, of resource: String) -> Bool {
        resource == openID
            || [ScopeMeaning.graph, ScopeMeaning.googleAPIs].map(ScopeMeaning.resourceName).contains(resource)
    }
}

extension ScopeMeaning.Risk {
    var tone: Tone {
        switch self {
        case .low: .muted
        case .medium: .attention
        case .high, .critical: .danger
        }
    }
}

extension String {
    /// Whether `://` is in it.
    fileprivate var hasScheme: Bool {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[colon...].dropFirst()
            if rest.starts(with: "//".utf8) { return true }
        }
        return false
    }

    fileprivate var isGUIDPrefixed: Bool {
        utf8.starts(with: "api:".utf8) || Substring(utf8.prefix { $0 != UInt8(ascii: "/") }).isGUID
    }
}
