package import FoundationEssentials
package import Helpers
package import Identity
import Wire

extension AzureDevOpsTenants {
    /// - Returns: nil if the organization does not say; the client's authority then decides.
    package func tenant(of devOps: AzureDevOps, _ network: NetworkSettings, at now: Date) async -> String? {
        if let known = known(devOps, at: now) { return known }
        guard let address = devOps.address else { return nil }
        let transport = Transport(network)
        // Without this header the service redirects to a page for browsers.
        let reply = try? await transport.send(
            HTTPRequest(address, headers: [(name: "X-TFS-FedAuthRedirect", value: "Suppress")]))
        await transport.close()
        guard let reply else { return nil }
        let tenant =
            AzureDevOps.tenant(of: reply.headers(named: "www-authenticate"))
            ?? AzureDevOps.tenant(ofResource: reply.header("x-vss-resourcetenant"))
        if let tenant { note(tenant, of: devOps, at: now) }
        return tenant
    }
}
