package import CommandSupport
package import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import Wire

/// Which tenant an organization of Azure DevOps belongs to: what it said itself, kept for a week.
package struct AzureDevOpsTenants: Sendable {
    private let file: StateFile
    private let network: PublicClientApplication.NetworkSettings
    private static let maximumBytes = 65_536
    private static let mostEntries = 200
    /// Seconds; an organization hardly ever moves, and `erase` forgets it.
    private static let lifetime: Int64 = 7 * 86_400

    package init(_ session: CommandContext) {
        file = StateFile(
            path: session.environment.stateFolder + "/azure-devops-tenants.json", maximumBytes: Self.maximumBytes)
        network = session.network()
    }

    /// - Returns: nil where the organization does not say it: then the authority of the client decides.
    package func tenant(of devOps: AzureDevOps, at now: Date) async -> String? {
        guard let organization = devOps.organization?.asciiLowercased, let address = devOps.address else { return nil }
        let second = Int64(now.timeIntervalSince1970)
        if let known = entries(try? file.read())[organization], known.at > second - Self.lifetime, known.at <= second {
            return known.tenant
        }
        let transport = Transport(
            TransportSettings(
                certificateFile: network.certificateFile, httpsProxy: network.httpsProxy, httpProxy: network.httpProxy,
                noProxy: network.noProxy, timeout: .seconds(network.timeout), product: network.productName))
        // Without the field it leads to a page for a browser.
        let reply = try? await transport.send(
            HTTPRequest(address, headers: [(name: "X-TFS-FedAuthRedirect", value: "Suppress")]))
        await transport.close()
        guard let reply else { return nil }
        let tenant =
            AzureDevOps.tenant(of: reply.headers(named: "www-authenticate"))
            ?? AzureDevOps.tenant(ofResource: reply.header("x-vss-resourcetenant"))
        if let tenant { change { $0[organization] = Entry(tenant: tenant, at: second) } }
        return tenant
    }

    package func forget(_ devOps: AzureDevOps) {
        guard let organization = devOps.organization?.asciiLowercased, entries(try? file.read())[organization] != nil
        else { return }
        change { $0[organization] = nil }
    }

    private struct Entry {
        var tenant: String
        var at: Int64
    }

    private func entries(_ bytes: [UInt8]??) -> [String: Entry] {
        guard let bytes = bytes ?? nil, let value = try? JSONValue(parsing: bytes) else { return [:] }
        var found: [String: Entry] = [:]
        for member in value["organizations"]?.object?.members.prefix(Self.mostEntries) ?? [] {
            guard let tenant = member.value["tenant"]?.string, tenant.isGUID, let at = member.value["at"]?.integer
            else {
                continue
            }
            found[member.name] = Entry(tenant: tenant, at: at)
        }
        return found
    }

    /// A file that cannot be written costs a request the next time.
    private func change(_ body: (inout [String: Entry]) -> Void) {
        try? file.change { bytes in
            var found = entries(bytes)
            body(&found)
            let kept = found.sorted { ($1.value.at, $0.key) < ($0.value.at, $1.key) }.prefix(Self.mostEntries)
            let members = kept.map { name, entry in
                JSONMember(
                    name: name,
                    value: JSONValue(("tenant", entry.tenant.json), ("at", JSONValue(integer: entry.at))))
            }
            return Array((JSONValue(("organizations", .object(JSONObject(members)))).serialized() + "\n").utf8)
        }
    }
}
