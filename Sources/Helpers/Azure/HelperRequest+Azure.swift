package import CommandSupport

extension HelperRequest {
    /// - Returns: nil for a command line that is left to Azure CLI.
    package static func az(_ words: [String], _ environment: ProcessEnvironment) -> HelperRequest? {
        guard let request = AzureCLIRequest(words, usual: AzureCLISettings(environment).output) else { return nil }
        let profile = AzureProfile(environment)
        let subscription = profile.subscription(request.subscription)
        // Only Azure CLI can look up a subscription that is not in the profile.
        if request.subscription != nil, request.tenant == nil, subscription == nil { return nil }
        let query = TokenQuery.az(profile, subscription, environment, scopes: request.scopes, tenant: request.tenant)
        return HelperRequest(query, environment) { token in
            AzureCLIAnswer(token, subscription: subscription?.id, to: request).text
        }
    }

    /// - Returns: nil for a command line that is left to Azure Developer CLI.
    package static func azd(_ words: [String], _ environment: ProcessEnvironment) -> HelperRequest? {
        DeveloperCLIRequest(words).map { request in
            HelperRequest(request.query(environment), environment, answer: DeveloperCLIRequest.answer)
        }
    }
}
