/// Resource indicators, RFC 8707, at the plain servers. Elsewhere the parameter is ignored.
enum ResourceIndicators {
    /// The resources of a request. Without any, those that were authorized before.
    ///
    /// - Parameter authorized: nil in an authorization request; an empty list allows each resource of the server.
    static func requested(_ form: Form, in issuer: HostedIssuer, quirks: Quirks, authorized: [String]? = nil)
        throws(OAuthErrorResponse) -> [String]
    {
        let wanted = form.all("resource").filter { !$0.isEmpty }
        guard issuer.oauth?.isPlain == true, !wanted.isEmpty else { return authorized ?? [] }
        guard !quirks.has(.resourceRefused) else {
            throw OAuthErrorResponse(
                "invalid_target",
                "AADSTS9010010: The resource parameter does not match the resource of the requested scopes.")
        }
        let known = authorized.flatMap { $0.isEmpty ? nil : $0 } ?? [issuer.identifier + "/api"]
        for resource in wanted {
            guard !resource.contains("#"), known.contains(where: { covers($0, resource) }) else {
                throw OAuthErrorResponse("invalid_target", "the resource \(resource.prefix(200)) is not served here")
            }
        }
        return wanted
    }

    /// Whether an address is a resource or below it.
    static func covers(_ resource: String, _ address: String) -> Bool {
        address == resource || address.hasPrefix(resource.hasSuffix("/") ? resource : resource + "/")
    }
}
