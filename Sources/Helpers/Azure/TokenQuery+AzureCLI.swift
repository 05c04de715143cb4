package import CommandSupport

extension TokenQuery {
    /// - Parameters:
    ///   - profile: if it cannot be parsed, the user is unknown and no token is issued.
    ///   - subscription: Azure CLI's selected one; nil if the profile has none.
    package static func az(
        _ profile: AzureProfile, _ subscription: AzureProfile.Subscription?, _ environment: ProcessEnvironment,
        options: TokenOptions = TokenOptions(), scopes: [String] = [AzureCLIRequest.usualScope], tenant: String? = nil
    ) -> TokenQuery {
        var query = TokenQuery(options, ProgramRequest(.az, person: .nobody, environment), .azureCLI)
        // az always sends scopes.
        query.asked.scopes = options.scopes.isEmpty ? scopes : []
        query.asked.tenant = tenant
        query.place.tenant = subscription?.tenant
        query.user = profile.problem.map { .unknown(why: $0) } ?? subscription?.user
        return query
    }
}
