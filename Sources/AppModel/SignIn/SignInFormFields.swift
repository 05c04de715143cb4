import Identity
import Keys

extension SignInForm: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .form, "Sign in: the form",
                [
                    KeyBinding([.enter], .start, "sign in", "start the sign-in"),
                    KeyBinding([.tab, .down], .nextField, "next", "next field"),
                    KeyBinding([.backTab, .up], .previousField, "", "previous field"),
                    KeyBinding(
                        [.function(2)], .knownClients, "clients", "choose one of your clients or a well-known one"),
                    KeyBinding(
                        [.function(3)], .lookUpProvider, "check",
                        "ask the provider which sign-in methods it supports"),
                    KeyBinding([.escape], .back, "back", "back to the accounts"),
                    KeyBinding([.function(1)], .help, "help", "show keys"),
                ] + KeyBinding.editing)
        ]
    }

    package var keyContext: KeyContext { .form }

    package func awaits(_ request: RequestID) -> Bool { lookUp?.id == request }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        let before = focus
        let actions = handle(event, in: context) + endOutdatedLookUp(in: context)
        offerScopes(in: context)
        let isLeft: Bool
        if case .fill(let number, _) = event {
            isLeft = number == Field.authority.rawValue
        } else {
            isLeft = before == .authority && focus != .authority
        }
        return isLeft ? actions + lookUpProvider(in: context) : actions
    }

    private mutating func handle(_ event: Event, in context: Context) -> [Action] {
        if case .command = event { reveal() }
        switch event {
        case .command(.nextField, _): moveFocus(1, in: context)
        case .command(.previousField, _): moveFocus(-1, in: context)
        case .command(.back, _): return endLookUp() + [.close]
        case .command(.start, _): return start(in: context)
        case .command(.knownClients, _): return [.open(ClientMenu(context, selecting: clientID.text)), .showEntry]
        case .command(.lookUpProvider, _): return lookUpProvider(again: true, in: context)
        case .command(.edit, let key), .text(let key): edit(key, context)
        case .select(let number): moveFocus(to: Field(rawValue: number), in: context)
        case .fill(let number, let text): fill(number, text, context)
        case .reply(let reply, _): receive(reply)
        // Kept for when the user returns to the form.
        case .methodChanged(let method): self.method = method
        case .clientChosen(let client): take(client, in: context)
        case .signInCancelled where isHidden: return [.close]
        default: break
        }
        return []
    }

    /// Starts the sign-in, or shows which field is invalid.
    mutating func start(in context: Context) -> [Action] {
        guard let request = signInRequest(context) else { return [] }
        let progress = SignInProgress(request, tried: tried, in: context)
        return endLookUp() + [.open(progress), .perform(progress.effect)]
    }

    // MARK: What it shows

    package func page(in context: Context) -> Page {
        Page(
            title: "Sign in", rule: { PageTitle(crumbs: ["Sign in"], aside: Self.consequencesTitle) },
            addText: { block in
                addLookUp(in: context, to: &block)
                addNotes(to: &block)
                block.blank()
                block.heading(Self.consequencesTitle)
                addConsequences(in: context, to: &block)
            }, fields: { fields(in: context) })
    }

    /// The provider and its sign-in methods in one row, for below its address; empty before the request.
    package func providerText(in context: Context) -> TextBlock {
        TextBlock { block in
            guard let (sign, words) = lookUp?.line(in: context) else { return }
            block.row([TextSpan("", sign.1, sign: sign.0), TextSpan(" " + words)])
        }
    }

    /// Anything wrong or special, and advice on the focused field.
    package var notes: TextBlock { TextBlock(addNotes) }

    private func addLookUp(in context: Context, to block: inout TextBlock) {
        guard let lookUp else { return }
        let (sign, words) = lookUp.line(in: context)
        func add(to block: inout TextBlock) { block.item(sign, "authority: " + words) }
        if lookUp.isWaiting { block.moving(add) } else { add(to: &block) }
    }

    private func addNotes(to block: inout TextBlock) {
        if let complaint { block.item(.warning, .danger, "\(complaint.field.label): \(complaint.text)", .danger) }
        if claims != nil {
            block.item(.bullet, .attention, "step-up required: this sign-in sends the claims challenge")
        }
        if let account { block.item(.bullet, .info, "for \(account.label)") }
        if complaint == nil { block.text(advice(of: focus), .muted) }
    }

    private func fields(in context: Context) -> [FormField] {
        offeredFields(in: context).map { field in
            let words = choice(of: field, in: context)
            let value =
                words.map { $0.note.isEmpty ? $0.text : "\($0.text), \($0.note)" } ?? textField(field)?.text ?? ""
            return FormField(
                label: field.label, value: value, unset: placeholder(of: field, in: context),
                advice: advice(of: field), kind: kind(of: field, in: context),
                takesOthers: field == .client)
        }
    }

    private func kind(of field: Field, in context: Context) -> FormField.Kind {
        switch field {
        case .client where !context.clients.isEmpty: .choice(context.clients.map(\.name), selected: choice)
        case .method:
            .choice(SignInMethod.allCases.map(\.words), selected: SignInMethod.allCases.firstIndex(of: method))
        case .prompt:
            .choice(
                ["provider's default"] + Prompt.allCases.map(\.rawValue),
                selected: promptKind.flatMap { Prompt.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        case .client, .authority, .tenant, .scopes, .loginHint, .name: .text
        }
    }

    /// The current choice and a note; nil for a text field.
    package func choice(of field: Field, in context: Context) -> (text: String, note: String)? {
        switch field {
        case .client:
            choice.flatMap {
                context.clients.indices.contains($0) ? (context.clients[$0].name, context.clients[$0].clientID) : nil
            }
        case .method:
            switch method {
            case .automatic:
                (
                    "auto",
                    "\(context.automaticMethod.rawValue)"
                        + (context.automaticReason.isEmpty ? "" : ": " + context.automaticReason)
                )
            case .browser: ("browser", "browser on this machine (loopback redirect)")
            case .privateWindow: ("private", "a private window, without your cookies")
            case .native: ("native", "in the terminal, no browser (External ID only)")
            case .device: ("device", "device code: sign in on any device")
            case .text: ("text", "a text browser in this terminal")
            }
        case .prompt:
            switch promptKind {
            case nil: ("provider's default", "")
            case .selectAccount: ("select_account", "choose among the browser's accounts")
            case .login: ("login", "type the password again")
            case .consent: ("consent", "ask for consent again")
            case .create: ("create", "create an account")
            case .none?: ("none", "fail if a prompt is needed")
            }
        case .authority, .tenant, .scopes, .loginHint, .name: nil
        }
    }
}

extension SignInForm {
    /// Without the client's name if the sign-in does not save the client.
    package func offeredFields(in context: Context) -> [Field] {
        Field.allCases.filter { $0 != .name || draft(in: context)?.clientToKeep(in: context) != nil }
    }

    /// Whether the fold is closed: the focus is elsewhere, and nothing in it has a value.
    package var isFolded: Bool { !focus.isInFold && !Field.allCases.contains { $0.isInFold && isSet($0) } }

    /// In a closed fold, its first field stands for all.
    package func shownFields(in context: Context) -> [Field] {
        offeredFields(in: context).filter { !isFolded || $0.rawValue <= Field.tenant.rawValue }
    }

    package func wordsOfFold(in context: Context) -> (label: String, fields: String) {
        ("more", offeredFields(in: context).filter(\.isInFold).map(\.label).joined(by: ", "))
    }

    private func advice(of field: Field) -> String {
        guard field == .client, choice == nil else { return field.advice }
        guard let knownServer, let address = try? WebAddress(authority.text) else {
            return "The ID of a public client that is registered with the redirect URI http://localhost."
        }
        return "The ID of your own client: register it \(knownServer.howToRegister(at: address))."
    }

    /// Shown instead of an empty text: that it is not set, and what is used then.
    package func placeholder(of field: Field, in context: Context) -> String {
        switch field {
        case .authority: "not set: the provider's https URL"
        case .client: "not set: a client ID"
        case .tenant: "not set: the authority's"
        case .scopes: "not set: " + (scopesToAsk(in: context)?.description ?? "the provider's default")
        case .loginHint:
            lookUp?.support?.namesAccount ?? true ? "not set" : "required: the server does not say who signs in"
        case .name: "not set: " + (draft(in: context)?.clientToKeep(in: context)?.name ?? "after the provider")
        case .method, .prompt: ""
        }
    }

    /// Whether the field has a value of its own, not only a default.
    package func isSet(_ field: Field) -> Bool {
        switch field {
        case .prompt: promptKind != nil
        case .method: method != .automatic
        case .authority, .client, .tenant, .scopes, .loginHint, .name: textField(field)?.isEmpty != true
        }
    }
}

extension SignInForm.Field {
    package var label: String { words.label }
    fileprivate var advice: String { words.advice }

    private var words: (label: String, advice: String) {
        switch self {
        case .client: ("client", "The app to sign in with: left/right to choose; last entry: any client ID.")
        case .authority: ("authority", "The authority: the provider's https URL.")
        case .tenant:
            ("tenant", "Another tenant at the same authority: its ID or a domain name.")
        case .scopes:
            ("scopes", "Scopes, separated by spaces. RESOURCE/.default requests everything already consented to.")
        case .method: ("method", "How to sign in.")
        case .prompt: ("prompt", "The prompt that the provider shows.")
        case .loginHint: ("login hint", "Prefilled on the provider's page.")
        case .name: ("save as", "The client's name in the settings, after the sign-in.")
        }
    }
}
