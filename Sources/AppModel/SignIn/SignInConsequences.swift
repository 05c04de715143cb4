import Explain
import Identity

// The effects of a sign-in, shown before it starts.
extension SignInForm {
    static let consequencesTitle = "What will happen"

    package func consequences(in context: Context) -> TextBlock {
        TextBlock { addConsequences(in: context, to: &$0) }
    }

    func addConsequences(in context: Context, to block: inout TextBlock) {
        let draft = draft(in: context)
        block.field("asks", draft?.request.authority?.address.hostAndPort ?? "the provider you enter")
        if let draft {
            let requested = RequestedPermissions(draft, in: context)
            let names = requested.permissions.map { ScopeNames.short($0.scope) }.joined(by: ", ")
            block.add(
                .either(
                    TextBlock { $0.add(requested, labelWidth: 14, indent: 2) },
                    TextBlock { $0.pair("  " + requested.riskWord, requested.tone, names, labelWidth: 14) }))
        } else {
            block.pair("  for", .label, "the provider's default scopes", labelWidth: 14)
        }
        addMethod(draft?.request.authority?.kind, in: context, to: &block)
        let (place, format) = (context.storeLabel, context.storeBadge ?? "")
        block.add(
            .either(
                TextBlock {
                    $0.field("stores in", place)
                    if !format.isEmpty { $0.field("", format, .muted) }
                }, TextBlock { $0.field("stores in", [place, format].filter { !$0.isEmpty }.joined(by: ", ")) }))
        let id = draft?.clientID ?? clientID.text
        let kept = draft?.clientToKeep(in: context)
        block.field(
            "client",
            id.isEmpty
                ? "the client ID you enter"
                : kept.map { "saved in the settings as \($0.name)" } ?? draft?.shownClient(in: context)
                    ?? context.clientName(id))
        guard let command = draft?.command(keeping: kept, in: context) else { return }
        block.field("then", command, .key)
        block.add(.either(TextBlock { $0.field("", "gets this sign-in's token from the cache", .muted) }, TextBlock()))
    }

    /// How the user approves, by the decision of the sign-in itself. Until the provider is known to lack it, a device
    /// code is assumed to be supported.
    private func addMethod(_ kind: Authority.Kind?, in context: Context, to block: inout TextBlock) {
        var assumed = ProviderSupport(kind: kind ?? .oidc, hasDeviceCode: true)
        if let server = serverWithoutSecret(in: context) { assumed.missingSecret = server.secret }
        let support = lookUp?.support ?? assumed
        do throws(Failure) {
            let (method, reason) = try support.method(for: method) {
                (context.automaticMethod, context.automaticReason)
            }
            block.field("by", method.words + (reason.isEmpty ? "" : ": \(reason)"))
            block.add(.either(TextBlock { $0.field("", method.singleSignOn, .muted) }, TextBlock()))
        } catch { block.field("by", error.message, .danger) }
    }
}

extension SignInRequest {
    /// The command that gets the token of this sign-in from the cache; nil if later commands would ask another provider
    /// or store.
    ///
    /// - Parameter kept: the client that the sign-in saves in the settings.
    func command(keeping kept: ConfiguredClient?, in context: Context) -> String? {
        guard !context.isDemo, !clientID.isEmpty, let provider = request.authority else { return nil }
        let known = kept ?? configured(in: context)
        guard known.map({ $0.provider == provider }) ?? (provider.address.text == Authority.defaultAddress) else {
            return nil
        }
        var words = ["foyer", "token", "--client", known?.name ?? context.knownClient(clientID) ?? clientID]
        let usual = (known?.defaults ?? RequestDefaults()).scopes(at: provider, clientID: clientID)
        if request.scopes != usual { words += request.scopes.names.flatMap { ["--scope", $0] } }
        if let tenant { words += ["--tenant", tenant] }
        let name = request.loginHint ?? request.account?.username ?? ""
        // Otherwise the new account is the only one.
        if context.accounts.accounts.contains(where: { $0.store == nil && $0.account.clients.contains(clientID) }) {
            words += ["--account", name.isEmpty ? "USERNAME" : name]
        }
        return words.map(\.shellWord).joined(separator: " ")
    }
}
