package import CommandSupport
import FoundationEssentials
package import Identity
import SilentFirst

extension ProgramCall {
    /// The call in the tenant of an organization of Azure DevOps, where nobody names a tenant; the wish names it then.
    ///
    /// - Parameter devOps: nil for another service, whose call is worked out as it is.
    /// - Returns: nil for a host that nobody has named.
    package static func inTenant(
        of devOps: AzureDevOps?, _ wish: inout Wish, _ environment: ProcessEnvironment
    ) async throws(Failure) -> ProgramCall? {
        guard let call = try ProgramCall(wish, environment) else { return nil }
        guard call.choice.tenant == nil, let devOps, call.call.application.configuration.authority.isTenantIndependent
        else { return call }
        wish.defaults.tenant = await AzureDevOpsTenants(call.call.session).tenant(of: devOps, at: Date())
        guard wish.defaults.tenant != nil else { return call }
        return try ProgramCall(wish, environment) ?? call
    }
}
