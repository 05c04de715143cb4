package import CommandSupport
import Glibc
package import Identity

/// The int128/kubelogin command line used in kubeconfigs: `kubectl oidc-login get-token …`.
package struct OIDCLoginArguments: Hashable, Sendable {
    package let issuer: String
    package let client: String
    package let scopes: [String]
    package let method: SignInMethod?
    /// `none` only prints the URL.
    package let browser: String?
    /// Exactly as registered at the provider.
    package let redirectURI: String
    package let extraQuery: [String]
    package let username: String?
    package let prompt: Prompt?
    package let isIDToken: Bool
    package let forceRefresh: Bool

    private static let taking = [
        "--oidc-issuer-url", "--oidc-client-id", "--oidc-extra-scope", "--oidc-redirect-url",
        "--oidc-redirect-url-hostname", "--oidc-auth-request-extra-params", "--oidc-pkce-method", "--grant-type",
        "--listen-address", "--browser-command", "--authentication-timeout-sec", "--token-cache-dir",
        "--token-cache-storage", "--username",
    ]
    private static let flags = ["--oidc-use-access-token", "--oidc-use-pkce", "--force-refresh", "--skip-open-browser"]
    /// Grants for users, with the sign-in method used here.
    private static let grants: [String: SignInMethod?] = [
        "auto": SignInMethod?.none, "authcode": .browser, "authcode-keyboard": .browser, "device-code": .device,
    ]
    private static let usualAddresses = ["127.0.0.1:8000", "127.0.0.1:18000"]

    /// - Returns: nil for another command, a client with a secret or an unknown option, left to the real kubelogin.
    package init?(_ words: [String], isFree: (UInt16) -> Bool = LoopbackPort.isFree) {
        guard let values = OptionWord.ofKubelogin(words, taking: Self.taking, flags: Self.flags) else { return nil }
        func isOn(_ flag: String) -> Bool { values[flag]?.contains("true") ?? false }
        func value(_ name: String) -> String? { values[name]?.last.flatMap { $0.isEmpty ? nil : $0 } }
        func all(_ name: String) -> [String] {
            (values[name] ?? []).flatMap { $0.split(separator: ",").map(String.init) }
        }
        guard let issuer = value("--oidc-issuer-url"), (try? WebAddress(issuer)) != nil,
            let client = value("--oidc-client-id"), let method = Self.grants[value("--grant-type") ?? "auto"]
        else { return nil }
        self.issuer = issuer
        self.client = client
        let wanted = ["openid"] + all("--oidc-extra-scope").filter { $0 != "openid" }
        guard wanted.allSatisfy(ScopeSet.isScope) else { return nil }
        scopes = wanted
        self.method = method
        browser = isOn("--skip-open-browser") ? "none" : value("--browser-command")
        // Two of the parameters are options of foyer's own.
        let extra = all("--oidc-auth-request-extra-params")
        func own(_ name: String) -> String? {
            extra.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        extraQuery = extra.filter { !$0.hasPrefix("login_hint=") && !$0.hasPrefix("prompt=") }
        username = value("--username") ?? own("login_hint")
        prompt = own("prompt").flatMap { Prompt(rawValue: $0) }
        isIDToken = !isOn("--oidc-use-access-token")
        forceRefresh = isOn("--force-refresh")
        if let named = value("--oidc-redirect-url") {
            redirectURI = named
        } else {
            let addresses = all("--listen-address").isEmpty ? Self.usualAddresses : all("--listen-address")
            let ports = addresses.compactMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }
            guard let port = ports.first(where: isFree) ?? ports.first else { return nil }
            redirectURI = "http://\(value("--oidc-redirect-url-hostname") ?? "localhost"):\(port)"
        }
    }

    package func query(_ options: TokenOptions = TokenOptions(), cluster: String?, _ environment: ProcessEnvironment)
        -> TokenQuery
    {
        let person = NamedPerson(username: username)
        var query = TokenQuery(
            options, ProgramRequest(.kubectl, person: person, cluster: cluster, environment), .cluster)
        query.asked = TokenOptions {
            ($0.clientID, $0.authority, $0.scopes) = (client, issuer, scopes)
            ($0.via, $0.browser, $0.prompt, $0.loginHint) = (method, browser, prompt, username)
            ($0.redirectURI, $0.extraQuery, $0.forceRefresh) = (redirectURI, extraQuery, forceRefresh)
        }
        query.isIDToken = isIDToken
        return query
    }
}

package enum LoopbackPort {
    package static func isFree(_ port: UInt16) -> Bool {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return true }
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
