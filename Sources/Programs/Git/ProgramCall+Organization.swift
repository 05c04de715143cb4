package import CommandSupport
import FoundationEssentials
package import Identity

extension ProgramCall {
    /// Resolves in the organization's tenant unless a tenant is set; nil if nothing names the host for tokens.
    package static func inTenant(
        of devOps: AzureDevOps?, _ query: TokenQuery, _ context: CommandContext
    ) async throws(Failure) -> ProgramCall? {
        var query = query
        guard let first = try context.resolvedPlace(query) else { return nil }
        if let devOps, first.tenant == nil, let client = first.client,
            (try? first.authority(of: client))?.isTenantIndependent == true
        {
            query.place.tenant = await AzureDevOpsTenants(context).tenant(of: devOps, at: Date())
        }
        return try ProgramCall(query, context)
    }
}
