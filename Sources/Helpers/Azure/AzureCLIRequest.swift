import Identity

/// `az account get-access-token`, as the Azure SDKs, Terraform and kubelogin call it.
package struct AzureCLIRequest: Hashable, Sendable {
    package enum Form: String, Hashable, Sendable { case json, tsv }

    package var scopes: [String] = []
    package var tenant: String?
    package var subscription: String?
    package var form = Form.json
    package var query: String?

    static let members = ["accessToken", "expiresOn", "expires_on", "subscription", "tenant", "tokenType"]
    /// az's default.
    private static let usualResource = "https://management.core.windows.net/"
    package static let usualScope = scope(of: usualResource)

    /// - Returns: nil for another command, and for options that only az supports.
    package init?(_ words: [String]) {
        guard words.starts(with: ["account", "get-access-token"]) else { return nil }
        var resource: String?
        var rest = Self.split(words.dropFirst(2))[...]
        while let option = rest.popFirst() {
            func value() -> String? {
                guard let next = rest.first, !next.hasPrefix("-") else { return nil }
                return rest.removeFirst()
            }
            func take(_ member: inout String?) -> Bool {
                guard let text = value() else { return false }
                member = text
                return true
            }
            switch option {
            case "--only-show-errors": continue
            case "--scope", "--scopes":
                while let scope = value() { scopes.append(scope) }
                guard !scopes.isEmpty else { return nil }
            case "--resource": guard take(&resource) else { return nil }
            case "--tenant", "-t": guard take(&tenant) else { return nil }
            case "--subscription", "--name", "-n", "-s": guard take(&subscription) else { return nil }
            case "--output", "-o":
                guard let form = value().flatMap(Form.init(rawValue:)) else { return nil }
                self.form = form
            case "--query":
                guard let name = value(), Self.members.contains(name) else { return nil }
                query = name
            default: return nil
            }
        }
        guard scopes.isEmpty || resource == nil else { return nil }
        if scopes.isEmpty { scopes = [resource.map(Self.scope) ?? Self.usualScope] }
        guard scopes.allSatisfy(ScopeSet.isScope) else { return nil }
    }

    /// az appends it to any resource, so a trailing slash remains part of the resource.
    private static func scope(of resource: String) -> String { resource + "/.default" }

    private static func split(_ words: ArraySlice<String>) -> [String] {
        words.flatMap { word -> [String] in
            guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return [word] }
            return [String(word[..<equals]), String(word[word.index(after: equals)...])]
        }
    }
}
