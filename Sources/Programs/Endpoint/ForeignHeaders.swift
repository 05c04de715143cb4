import Identity

/// Header fields that only a browser or a proxy adds: a request with one of them comes from elsewhere, whatever secret
/// it has. The programs that foyer serves send none of them.
enum ForeignHeaders {
    /// In lower case.
    static let browsers = ["origin", "sec-fetch-site"]

    /// In lower case; a name that ends with `*` stands for all that begin so.
    static let proxies = [
        // RFC 9110, RFC 7239, RFC 8586, and what was usual before them.
        "forwarded", "via", "max-forwards", "proxy-*", "cdn-loop", "x-forwarded*", "x-proxy*", "x-proxied-*",
        // nginx, Apache and HAProxy.
        "x-real-*", "x-client-ip", "client-ip", "x-cluster-client-ip", "x-remote-*", "remote-addr", "x-host",
        "x-original-*", "x-originating-*", "x-rewrite-*", "x-http-host-override",
        // Cloudflare, Akamai, Fastly, Envoy, and the front ends of Azure and Google.
        "cf-*", "true-client-ip", "fastly-*", "x-envoy-*", "x-azure-*", "x-arr-*", "x-appengine-*",
    ]

    private static let exact = Set((browsers + proxies).filter { !$0.hasSuffix("*") })
    private static let prefixes = proxies.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }

    static func contains(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return exact.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }
}
