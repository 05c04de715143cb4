import Identity

/// `az account get-access-token`, as the Azure SDKs, Terraform and kubelogin call it.
package struct AzureCLIRequest: Hashable, Sendable {
    /// The formats of `--output` that foyer writes. Without a terminal, `jsonc` is the same as `json`.
    package enum Form: String, Hashable, Sendable {
        case json, jsonc, tsv, none

        /// Case is ignored, as in az.
        package init?(azure text: String) { self.init(rawValue: text.asciiLowercased) }
    }

    package var scopes: [String] = []
    package var tenant: String?
    package var subscription: String?
    package var form = Form.json
    package var query: AzureCLIQuery?

    static let members = ["accessToken", "expiresOn", "expires_on", "subscription", "tenant", "tokenType"]
    /// az's default.
    private static let usualResource = "https://management.core.windows.net/"
    package static let usualScope = scope(of: usualResource)

    /// - Parameter usual: the format without `--output`; nil if the user's usual one is not among them.
    /// - Returns: nil for another command, and for options that only az supports.
    package init?(_ words: [String], usual: @autoclosure () -> Form?) {
        guard words.starts(with: ["account", "get-access-token"]) else { return nil }
        var resource: String?
        var written: Form?
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
                guard let form = value().flatMap(Form.init(azure:)) else { return nil }
                written = form
            case "--query":
                guard let query = value().flatMap(AzureCLIQuery.init) else { return nil }
                self.query = query
            default: return nil
            }
        }
        guard let form = written ?? usual() else { return nil }
        self.form = form
        guard scopes.isEmpty || resource == nil else { return nil }
        if scopes.isEmpty { scopes = [resource.map(Self.scope) ?? Self.usualScope] }
        guard scopes.allSatisfy(ScopeSet.isScope) else { return nil }
    }

    /// az appends it to any resource, so a trailing slash remains part of the resource.
    private static func scope(of resource: String) -> String { resource + "/.default" }

    /// As Python's argparse: `--output=json`, `-o=json` and `-ojson`.
    private static func split(_ words: ArraySlice<String>) -> [String] {
        words.flatMap { word -> [String] in
            guard word.hasPrefix("-"), word.utf8.count > 2 else { return [word] }
            let isLong = word.hasPrefix("--")
            if let equals = word.firstIndex(of: "="), isLong || word.utf8.dropFirst(2).first == UInt8(ascii: "=") {
                return [String(word[..<equals]), String(word[word.index(after: equals)...])]
            }
            return isLong ? [word] : [String(word.prefix(2)), String(word.dropFirst(2))]
        }
    }
}
