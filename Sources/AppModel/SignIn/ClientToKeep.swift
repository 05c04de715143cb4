import Identity

extension SignInRequest {
    /// The client typed into the form if the settings lack it: without it, later calls would not know the provider. Nil
    /// for a client of the settings, and for a well-known one whose provider is known to sign users in.
    func clientToKeep(in context: Context) -> ConfiguredClient? {
        guard !context.isDemo, !clientID.isEmpty, let provider = request.authority,
            !context.clients.contains(where: { $0.clientID == clientID && $0.isInSettings }),
            !context.clients.contains(where: {
                $0.clientID == clientID && $0.authority == provider.address.text
            })
        else { return nil }
        let taken = Set(context.clients.filter(\.isInSettings).map(\.name))
        let name = name ?? Client.name(clientID, at: provider.address, notIn: taken)
        // Save no defaults: at an OpenID Connect provider, `offline_access` is only added if no scopes are set.
        let isUsual = request.scopes == RequestDefaults().scopes(at: provider, clientID: clientID)
        return ConfiguredClient(
            name: name, clientID: clientID, authority: provider.address.text, scopes: isUsual ? [] : request.scopes,
            kind: provider.kind)
    }
}
