package import CommandSupport
import Identity

extension ProgramCall.Wish {
    /// What `az account get-access-token` asks for.
    ///
    /// - Parameters:
    ///   - options: of the request; without scopes, those that az asks for by itself.
    ///   - tenant: of the request.
    ///   - subscription: whom Azure CLI is set to; nil where its profile says nothing.
    package static func az(
        _ options: CommonOptions, tenant: String? = nil, _ subscription: AzureProfile.Subscription?,
        _ environment: ProcessEnvironment
    ) -> ProgramCall.Wish {
        var options = options
        // az always says which: a rule's scopes do not count.
        if options.scopes.isEmpty { options.scopes = [AzureCLIRequest.usualScope] }
        var wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.az.rawValue, directory: environment.workingFolder, home: environment.home),
            options: options, tenant: tenant,
            defaults: ProgramChoice.Defaults(client: "Azure CLI"))
        wish.defaults.tenant = subscription?.tenant
        wish.user = subscription?.user
        return wish
    }
}
