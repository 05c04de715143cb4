package import CommandSupport
package import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import Wire

/// Tenants of Azure DevOps organizations, as reported by the service and cached for a week.
package struct AzureDevOpsTenants: Sendable {
    private struct Entry: JSONRecord, StateEntry {
        var organization = ""
        var answer = Answer()

        mutating func describe(_ member: inout JSONMembers) {
            member("name", &organization, .text)
            member("value", &answer, .record)
        }

        /// An organization hardly ever moves; `erase` forgets it earlier.
        func holds(at now: Date) -> Bool { answer.at.isWithin(7 * 86_400, before: now) }
    }

    private struct Answer: JSONRecord, Equatable, Sendable {
        var tenant = ""
        var at = Date()

        mutating func describe(_ member: inout JSONMembers) {
            member("tenant", &tenant, JSONForm.text.map({ $0.isGUID ? $0 : nil }, \.self))
            member("at", &at, .time)
        }
    }

    private let list: StateList<Entry>
    private let network: NetworkSettings

    package init(_ session: CommandContext) {
        list = StateList(
            path: session.environment.stateFolder + "/azure-devops-tenants.json",
            ListFormat(
                "organizations", version: nil, maximumBytes: 65_536, most: 200, isNewestFirst: true, isByName: true))
        network = session.network()
    }

    /// - Returns: nil if the organization does not say; the client's authority then decides.
    package func tenant(of devOps: AzureDevOps, at now: Date) async -> String? {
        guard let organization = devOps.organization?.asciiLowercased, let address = devOps.address else { return nil }
        if let known = list.read(at: now).first(where: { $0.organization == organization }) {
            return known.answer.tenant
        }
        let transport = Transport(network)
        // Without this header the service redirects to a page for browsers.
        let reply = try? await transport.send(
            HTTPRequest(address, headers: [(name: "X-TFS-FedAuthRedirect", value: "Suppress")]))
        await transport.close()
        guard let reply else { return nil }
        let tenant =
            AzureDevOps.tenant(of: reply.headers(named: "www-authenticate"))
            ?? AzureDevOps.tenant(ofResource: reply.header("x-vss-resourcetenant"))
        if let tenant { set(Answer(tenant: tenant, at: now), of: organization, at: now) }
        return tenant
    }

    package func forget(_ devOps: AzureDevOps) {
        if let organization = devOps.organization?.asciiLowercased { set(nil, of: organization, at: Date()) }
    }

    /// If this cannot be saved, the next call sends another request.
    private func set(_ answer: Answer?, of organization: String, at now: Date) {
        try? list.change(at: now) { entries in
            entries.removeAll { $0.organization == organization }
            if let answer { entries.insert(Entry(organization: organization, answer: answer), at: 0) }
        }
    }
}
