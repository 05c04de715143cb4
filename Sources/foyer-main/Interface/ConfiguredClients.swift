import AppModel
import CommandSupport
import Identity

extension CommandContext {
    func configuredClients(_ choices: [ClientChoice]) -> [ConfiguredClient] {
        choices.map { choice in
            var client = ConfiguredClient(choice.name)
            client.clientID = choice.clientID
            client.authority = choice.authority ?? (try? authority(choice))?.address.text ?? ""
            client.namesProvider = choice.authority != nil
            (client.scopes, client.kind) = (ScopeSet(choice.scopes), choice.kind)
            client.server = choice.behaviour.server
            client.isInSettings = settings.clients.contains { $0.clientID == choice.clientID && $0.name == choice.name }
            return client
        }
    }

    /// The clients to choose from: the configured ones, and the well-known ones that suit a first try. Reads the file
    /// of the default client.
    var choices: [ClientChoice] {
        let configured = settings.clients.map(\.name).compactMap { name -> ClientChoice? in try? client(named: name) }
        let known = Client.wellKnown.prefix(2).filter { known in !configured.contains { $0.clientID == known.id } }
        var choices = configured + known.map { settings.choice(id: $0.id) }
        if let named = try? clientIfAny(),
            !choices.contains(where: { $0.clientID == named.clientID && $0.name == named.name })
        {
            choices.insert(named, at: 0)
        }
        return choices
    }
}
