package import CommandSupport
package import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

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

    package init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/azure-devops-tenants.json",
            ListFormat(
                "organizations", version: nil, maximumBytes: 65_536, most: 200, isNewestFirst: true, isByName: true))
    }

    /// - Returns: nil if the organization must be queried.
    package func known(_ devOps: AzureDevOps, at now: Date) -> String? {
        guard let organization = devOps.organization?.asciiLowercased else { return nil }
        return list.read(at: now).first { $0.organization == organization }?.answer.tenant
    }

    package func note(_ tenant: String, of devOps: AzureDevOps, at now: Date) {
        set(Answer(tenant: tenant, at: now), of: devOps, at: now)
    }

    package func forget(_ devOps: AzureDevOps) { set(nil, of: devOps, at: Date()) }

    /// If this cannot be saved, the next call sends another request.
    private func set(_ answer: Answer?, of devOps: AzureDevOps, at now: Date) {
        guard let organization = devOps.organization?.asciiLowercased else { return }
        try? list.change(at: now) { entries in
            entries.removeAll { $0.organization == organization }
            if let answer { entries.insert(Entry(organization: organization, answer: answer), at: 0) }
        }
    }
}
