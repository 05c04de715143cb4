package import CommandSupport
import Identity

extension TokenQuery {
    /// What `az account get-access-token` asks for.
    ///
    /// - Parameters:
    ///   - options: of whoever asks why; none of az itself.
    ///   - scopes: of the request; else those that az asks for by itself.
    ///   - tenant: of the request.
    ///   - profile: of Azure CLI: one that cannot be understood names nobody, and nobody gets a token.
    ///   - subscription: whom Azure CLI is set to; nil where its profile says nothing.
    package static func az(
        _ profile: AzureProfile, _ subscription: AzureProfile.Subscription?, _ environment: ProcessEnvironment,
        options: TokenOptions = TokenOptions(), scopes: [String] = [AzureCLIRequest.usualScope], tenant: String? = nil
    ) -> TokenQuery {
        var query = TokenQuery(options, ProgramRequest(.az, environment), .azureCLI)
        // az always says which.
        query.asked.scopes = options.scopes.isEmpty ? scopes : []
        query.asked.tenant = tenant
        query.place.tenant = subscription?.tenant
        query.user = profile.problem.map { .unknown(why: $0) } ?? subscription?.user
        return query
    }
}
