/// Names of settings that can be shown even if the rest of the line cannot.
enum SettingName {
    private static let known = kubeconfig.union(docker).union(git)

    private static let kubeconfig: Set = [
        "access-token", "apiVersion", "args", "as", "as-groups", "as-uid", "as-user-extra", "auth-provider",
        "certificate-authority", "certificate-authority-data", "client-certificate", "client-certificate-data",
        "client-id", "client-key", "client-key-data", "client-secret", "cluster", "clusters", "colors", "command",
        "config", "context", "contexts", "current-context", "disable-compression", "env", "exec", "expires-in",
        "expires-on", "expiry", "extension", "extensions", "id-token", "idp-certificate-authority",
        "idp-certificate-authority-data", "idp-issuer-url", "insecure-skip-tls-verify", "installHint",
        "interactiveMode", "kind", "name", "namespace", "password", "preferences", "provideClusterInfo", "proxy-url",
        "refresh-token", "server", "tls-server-name", "token", "tokenFile", "user", "username", "users", "value",
    ]

    private static let docker: Set = [
        "HttpHeaders", "aliases", "auth", "auths", "cliPluginsExtraDirs", "credHelpers", "credsStore", "currentContext",
        "default", "detachKeys", "email", "experimental", "features", "ftpProxy", "httpProxy", "httpsProxy",
        "identitytoken", "imagesFormat", "noProxy", "plugins", "proxies", "psFormat", "registrytoken",
        "stackOrchestrator",
    ]

    private static let git: Set = ["email", "helper", "name", "password", "useHttpPath", "username"]

    /// - Returns: a known name with its separator, such as `token:`; nil for any other line.
    static func beginning(_ text: String) -> String? {
        guard let sign = text.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return nil }
        let value = text[text.index(after: sign)...]
        // Base64 can also end with =.
        guard value.first?.isWhitespace ?? (text[sign] == ":") else { return nil }
        var name = text[..<sign]
        if name.hasPrefix("- ") { name.removeFirst(2) }
        while name.last?.isWhitespace == true { name.removeLast() }
        if name.count > 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        return known.contains(String(name)) ? String(text[...sign]) : nil
    }
}
