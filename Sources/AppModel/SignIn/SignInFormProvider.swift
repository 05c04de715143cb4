import Identity

// The provider of a sign-in, and the scopes that it requests there.
extension SignInForm {
    /// - Throws: a complaint about the authority.
    func checkedProvider(in context: Context) throws(ValidationError) -> Authority {
        guard !Self.trimmed(authority).isEmpty else {
            throw ValidationError(field: .authority, text: "enter the provider's https URL")
        }
        do { return try provider(context) } catch {
            throw ValidationError(field: .authority, text: error.description)
        }
    }

    func provider(_ context: Context) throws(Authority.Problem) -> Authority {
        let address = Self.trimmed(authority)
        if let givenAuthority, givenAuthority.address.text == address { return givenAuthority }
        return try defaults(in: context).authority(address)
    }

    /// The values that the settings have for the client.
    func defaults(in context: Context) -> RequestDefaults { client(in: context)?.defaults ?? RequestDefaults() }

    /// The chosen client; for a typed ID the one with the typed authority, if several have the ID.
    private func client(in context: Context) -> ConfiguredClient? {
        let (id, address) = (Self.trimmed(clientID), Self.trimmed(authority))
        if let choice, context.clients.indices.contains(choice), context.clients[choice].clientID == id {
            return context.clients[choice]
        }
        let same = context.clients.filter { $0.clientID == id }
        return same.first { $0.authority == address } ?? same.first
    }

    /// The known server of a client without a secret there.
    func serverWithoutSecret(in context: Context) -> KnownServer? {
        guard let provider = try? provider(context) else { return nil }
        let defaults = defaults(in: context)
        // A secret of the settings is for the client's own provider.
        return choice == nil || !defaults.isOwn(provider) ? defaults.server(at: provider) : nil
    }

    /// The known server at the authority's host.
    var knownServer: KnownServer? { (try? WebAddress(Self.trimmed(authority))).flatMap(KnownServer.at) }

    // MARK: The scopes

    /// Shows the scopes of the client's settings, as far as they are for the provider. Call after each change.
    mutating func offerScopes(in context: Context) {
        guard !hasNamedScopes, let provider = try? provider(context) else { return }
        let offered = defaults(in: context).configuredScopes(at: provider).description
        if scopes.text != offered { scopes = TextField(offered) }
    }

    /// The scopes to request, the same as in later silent calls; nil while the authority is invalid.
    func scopesToAsk(in context: Context) -> ScopeSet? {
        (try? provider(context)).map { scopesToAsk(at: $0, in: context) }
    }

    private var scopeNames: [String] { scopes.text.split(whereSeparator: \.isWhitespace).map(String.init) }

    func scopesToAsk(at provider: Authority, in context: Context) -> ScopeSet {
        defaults(in: context).scopes(
            named: ScopeSet(scopeNames), at: provider, clientID: Self.trimmed(clientID))
    }

    /// - Throws: a complaint about a scope that cannot be one, such as a host typed into the wrong field.
    func checkScopes(at provider: Authority, in context: Context) throws(ValidationError) {
        let server = defaults(in: context).server(at: provider)
        guard let bad = scopeNames.first(where: { !ScopeSet.isScope($0) || !provider.mayHave(scope: $0, server) })
        else { return }
        let place = ScopeSet.isScope(bad) ? server.map { " of \($0.title)" } ?? "" : ""
        throw ValidationError(field: .scopes, text: "\"\(bad)\" is not a scope" + place)
    }
}
