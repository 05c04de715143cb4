package import Identity
import StrictJSON

/// Asks Microsoft whether a host that is in nobody's table is one of its own, before anything is sent to it.
package enum InstanceDiscovery {
    /// - Throws: `untrusted` when it is not; transport errors when Microsoft could not be asked, and then nothing may be sent to the host either.
    package static func validate(_ authority: Authority, transport: Transport) async throws(WireError) {
        let endpoint = FormEncoding.escape("https://\(authority.address.hostAndPort)\(authority.address.path)/oauth2/v2.0/authorize")
        let text = "https://login.microsoftonline.com/common/discovery/instance?api-version=1.1&authorization_endpoint=\(endpoint)"
        let address: WebAddress
        do { address = try WebAddress(text) } catch { throw .badEndpoint(name: "authority", error) }
        let reply = try await transport.send(HTTPRequest(address))
        try reply.requireService()
        guard reply.status == 200, try reply.object()["tenant_discovery_endpoint"]?.string != nil else {
            throw .untrusted(
                check: "authority", detail: "Microsoft does not know \(authority.address.host); for another provider set kind = \"oidc\"")
        }
    }
}
