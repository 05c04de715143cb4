import Identity

extension SignInProgress {
    /// What was typed into the form and stands in no settings: without it the next call would not know where to ask.
    /// Nil for a client of the settings, and for a well-known one where it is known to sign people in.
    func clientToKeep(in context: Context) -> ConfiguredClient? {
        guard !context.isDemo, let authority = request.request.authority?.address.text,
            !context.clients.contains(where: { $0.clientID == request.clientID && $0.isInSettings }),
            !context.clients.contains(where: { $0.clientID == request.clientID && $0.authority == authority })
        else { return nil }
        let known = Client.wellKnown(request.clientID)?.name ?? request.request.authority?.address.host ?? "client"
        let taken = Set(context.clients.filter(\.isInSettings).map(\.name))
        let name = ([known] + (2...99).map { "\(known) \($0)" }).first { !taken.contains($0) } ?? known
        return ConfiguredClient(
            name: name, clientID: request.clientID, authority: authority, scopes: request.request.scopes)
    }
}
