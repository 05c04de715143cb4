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
        var wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.az.rawValue, directory: environment.workingFolder, home: environment.home),
            options: options, tenant: tenant,
            defaults: ProgramChoice.Defaults(client: "Azure CLI", scopes: [AzureCLIRequest.usualScope]))
        wish.defaults.tenant = subscription?.tenant
        wish.user = subscription?.user
        return wish
    }
}
