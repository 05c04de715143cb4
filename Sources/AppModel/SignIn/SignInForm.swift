package import Identity
import Keys

/// The values of a sign-in, from the user or from the provider's demands.
package struct SignInForm: Equatable, Sendable {
    package enum Field: Int, CaseIterable, Sendable {
        case authority, client, scopes, method
        case tenant, prompt, loginHint
        /// The name under which a typed client is saved.
        case name

        /// Whether few sign-ins need it, so it is folded away until then.
        package var isInFold: Bool { rawValue >= Field.tenant.rawValue }
    }

    package private(set) var focus = Field.client
    /// An index into the context's clients; nil if a client ID is typed.
    package private(set) var choice: Int?
    package private(set) var clientID = TextField()
    package private(set) var authority = TextField()
    package private(set) var tenant = TextField()
    package internal(set) var scopes = TextField()
    /// Whether the user or the request named the scopes, which are then asked of any provider.
    var hasNamedScopes = false
    package internal(set) var method = SignInMethod.automatic
    private(set) var promptKind: Prompt?
    package private(set) var loginHint = TextField()
    package private(set) var name = TextField()
    /// The claims challenge, passed on unchanged.
    package private(set) var claims: String?
    /// The account that signs in again; nil for a new one.
    package private(set) var account: Account?
    /// The name by which the account has signed in, if the settings do not have the client.
    private var usedName: String?
    /// The initial request's provider, because its URL alone may not identify its kind.
    var givenAuthority: Authority?
    /// The steps of the silent call before the form was opened.
    private(set) var tried: [Step] = []
    /// Whether a sign-in was started without showing the form: cancelling it closes the form, too.
    private(set) var isHidden = false
    package private(set) var complaint: ValidationError?
    /// Nil until the authority's field is left, and after a change of it.
    private(set) var lookUp: ProviderLookUp?
    package var scroll = 0

    package struct ValidationError: Error, Equatable, Sendable {
        package let field: Field
        package let text: String
    }

    /// A form for a new sign-in. It does not suggest the selected account's username: signing in again starts with
    /// Enter on that account.
    ///
    /// - Parameter clientName: the client to start with; nil for the default one.
    init(_ context: Context, clientName: String? = nil) {
        let wanted = clientName ?? context.defaultUse?.name
        let index =
            wanted.flatMap { wanted in context.clients.firstIndex { Client.isSameName($0.name, wanted) } }
            ?? (context.clients.isEmpty ? nil : 0)
        if let index {
            choose(index, context)
        } else {
            chooseTyped(context.defaultClientID ?? "", context)
            authority = TextField(Authority.defaultAddress)
        }
    }

    /// A form for the first account: a well-known client, or a client and provider to be typed.
    init(_ context: Context, start: FirstRun.Choice) {
        let (id, address) = start.start
        let client = context.clients.firstIndex { $0.clientID == id && $0.authority == address }
        if let index = client ?? context.clients.firstIndex(where: { $0.clientID == id }) {
            choose(index, context)
        } else {
            clientID = TextField(id)
        }
        authority = TextField(address)
        focus = firstToFill ?? .authority
        offerScopes(in: context)
    }

    /// A form after a failed silent call: same client and scopes, the claims challenge, and the username prefilled.
    init(_ context: Context, _ use: ClientUse, request: TokenRequest, claims: String?, tried: [Step] = []) {
        self.tried = tried
        if let index = context.clients.firstIndex(where: { $0.isUsed(by: use) }) {
            choose(index, context)
        } else {
            chooseTyped(use.clientID, context)
            usedName = use.name
        }
        givenAuthority = request.authority
        if request.authority != nil || authority.isEmpty {
            authority = TextField(request.authority?.address.text ?? Authority.defaultAddress)
        }
        tenant = TextField(request.tenant ?? "")
        scopes = TextField(request.scopes.description)
        hasNamedScopes = true
        loginHint = TextField(request.account?.username ?? "")
        self.claims = claims ?? request.claims
        account = request.account
        focus = .method
    }

    /// A form for an existing account with the request of its silent call.
    ///
    /// - Returns: nil if no client is known, and for an account in another program's store.
    init?(_ context: Context, again overview: AccountOverview) {
        guard let call = context.plannedCall(overview) else { return nil }
        self.init(context, call.use, request: call.request, claims: nil)
    }

    /// Starts a sign-in by device code with a form that is only shown if the sign-in fails.
    ///
    /// - Returns: nil like ``init(_:again:)``.
    static func startByDevice(_ context: Context, again overview: AccountOverview) -> [Action]? {
        guard var form = SignInForm(context, again: overview) else { return nil }
        form.method = .device
        let begun = form.start(in: context)
        form.isHidden = true
        return [.open(form)] + begun
    }

    mutating func reveal() { isHidden = false }

    private mutating func choose(_ index: Int, _ context: Context) {
        let client = context.clients[index]
        choice = index
        clientID = TextField(client.clientID)
        authority = TextField(client.authority)
        hasNamedScopes = false
        offerScopes(in: context)
    }

    /// Takes a client from the menu. A well-known one is not among the form's choices.
    mutating func take(_ client: ConfiguredClient, in context: Context) {
        focus = .client
        complaint = nil
        if let index = context.clients.firstIndex(where: { $0.clientID == client.clientID && $0.name == client.name }) {
            choose(index, context)
        } else {
            chooseTyped(client.clientID, context)
            if authority.isEmpty { authority = TextField(client.authority) }
        }
    }

    private mutating func chooseTyped(_ id: String, _ context: Context) {
        choice = nil
        usedName = nil
        clientID = TextField(id)
        offerScopes(in: context)
    }

    /// The name of the chosen client, else the one by which the account has signed in.
    private func clientName(in context: Context) -> String? {
        choice.flatMap { context.clients.indices.contains($0) ? context.clients[$0].name : nil } ?? usedName
    }

    /// The first field without which there is no sign-in; nil if all have a value.
    private var firstToFill: Field? { authority.isEmpty ? .authority : clientID.isEmpty ? .client : nil }

    // MARK: The provider

    /// Requests the provider's metadata, once for an address.
    ///
    /// - Parameter again: also after a failure.
    mutating func lookUpProvider(again: Bool = false, in context: Context) -> [Action] {
        let provider: Authority
        do { provider = try checkedProvider(in: context) } catch {
            // An empty field is only reported when it is needed.
            if again || !authority.isEmpty { complaint = error }
            return []
        }
        guard lookUp?.authority != provider || again && lookUp?.hasFailed == true else { return [] }
        lookUp = ProviderLookUp(authority: provider, id: context.nextRequest, startedAt: context.now)
        return [.perform(.lookUpProvider(provider, clientID: Self.trimmed(clientID), context.nextRequest))]
    }

    mutating func receive(_ reply: Reply) { lookUp?.receive(reply) }

    /// Ends the request if it is still running; its result is kept.
    mutating func endLookUp() -> [Action] {
        guard let lookUp, lookUp.isWaiting else { return [] }
        self.lookUp = nil
        return [.perform(.cancel(lookUp.id))]
    }

    /// Forgets the result for another address.
    mutating func endOutdatedLookUp(in context: Context) -> [Action] {
        guard let lookUp, lookUp.authority != (try? provider(context)) else { return [] }
        defer { self.lookUp = nil }
        return endLookUp()
    }

    // MARK: Keys

    mutating func moveFocus(_ step: Int, in context: Context) {
        focus = offeredFields(in: context).next(after: focus, step)
    }

    mutating func moveFocus(to field: Field?, in context: Context) {
        if let field, offeredFields(in: context).contains(field) { focus = field }
    }

    mutating func edit(_ key: Key, _ context: Context) {
        complaint = nil
        switch focus {
        case .client: editClient(key, context)
        case .method:
            if let step = Self.step(key) { method = SignInMethod.allCases.next(after: method, step) }
        case .prompt:
            if let step = Self.step(key) { promptKind = ([nil] + Prompt.allCases).next(after: promptKind, step) }
        case .scopes:
            let before = scopes.text
            scopes.handle(key)
            hasNamedScopes = hasNamedScopes || scopes.text != before
        default: if let path = Self.text(of: focus) { self[keyPath: path].handle(key) }
        }
    }

    /// Left, right and space change the choice; the last one is a typed client ID.
    private mutating func editClient(_ key: Key, _ context: Context) {
        let isMove = key == .left || key == .right
        if choice == nil, !isMove || context.clients.isEmpty {
            clientID.handle(key)
            return
        }
        guard let step = Self.step(key) else { return }
        let places = context.clients.count + 1
        let place = ((choice ?? context.clients.count) + step + places) % places
        if place == context.clients.count { chooseTyped("", context) } else { choose(place, context) }
    }

    private static func step(_ key: Key) -> Int? {
        switch key {
        case .left: -1
        case .right, .character(" "): 1
        default: nil
        }
    }

    // MARK: What it says

    /// The request, or nil and a complaint for the invalid field.
    mutating func signInRequest(_ context: Context) -> SignInRequest? {
        do { return try request(in: context) } catch {
            complaint = error
            focus = error.field
            return nil
        }
    }

    /// - Throws: the first invalid field.
    func request(in context: Context) throws(ValidationError) -> SignInRequest {
        let provider = try checkedProvider(in: context)
        let id = Self.trimmed(clientID)
        guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError(field: .client, text: "enter the client ID")
        }
        let place = Self.trimmed(tenant)
        if !place.isEmpty {
            do { _ = try provider.withTenant(place) } catch {
                throw ValidationError(field: .tenant, text: "enter the tenant's ID or a domain name")
            }
        }
        try checkScopes(at: provider, in: context)
        let hint = Self.trimmed(loginHint)
        guard !hint.isEmpty || lookUp?.support?.namesAccount ?? true else {
            throw ValidationError(field: .loginHint, text: "this server does not say who signs in: enter the username")
        }
        // Another username means another user, so the initial account is not required then.
        let person = account.flatMap { hint.isEmpty || hint == $0.username ? $0 : nil }
        let request = TokenRequest(
            scopes: scopesToAsk(at: provider, in: context), account: person, authority: provider,
            tenant: place.isEmpty ? nil : place, claims: claims, correlationID: TokenRequest.unnumbered, method: method,
            prompt: promptKind, loginHint: hint.isEmpty ? nil : hint)
        let wanted = SignInRequest(clientID: id, clientName: clientName(in: context), request: request)
        let name = Self.trimmed(name)
        guard !name.isEmpty, wanted.clientToKeep(in: context) != nil else { return wanted }
        guard name.isClientName else { throw ValidationError(field: .name, text: "use letters, digits, - and _") }
        guard !context.clients.contains(where: { $0.name == name }) else {
            throw ValidationError(field: .name, text: "the settings have a client of this name")
        }
        return SignInRequest(clientID: id, clientName: name, request: request, name: name)
    }

    static func trimmed(_ field: TextField) -> String {
        field.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The request so far, for its preview; nil while the authority is invalid.
    func draft(in context: Context) -> SignInRequest? {
        if let request = try? request(in: context) { return request }
        guard let provider = try? provider(context) else { return nil }
        let scopes = scopesToAsk(at: provider, in: context)
        return SignInRequest(
            clientID: Self.trimmed(clientID), clientName: clientName(in: context),
            request: TokenRequest(scopes: scopes, authority: provider, correlationID: TokenRequest.unnumbered))
    }
}

extension SignInForm {
    /// Nil for a choice, and for the client, which may be one.
    private static func text(of field: Field) -> WritableKeyPath<SignInForm, TextField>? {
        switch field {
        case .authority: \.authority
        case .tenant: \.tenant
        case .scopes: \.scopes
        case .loginHint: \.loginHint
        case .name: \.name
        case .client, .method, .prompt: nil
        }
    }

    /// Nil if the field is a choice now.
    package func textField(_ field: Field) -> TextField? {
        field == .client && choice == nil ? clientID : Self.text(of: field).map { self[keyPath: $0] }
    }

    /// Sets a field's text, or selects the choice with this number.
    mutating func fill(_ number: Int, _ text: String, _ context: Context) {
        guard let field = Field(rawValue: number) else { return }
        focus = field
        complaint = nil
        let place = Int(text)
        switch field {
        case .client:
            if let place, context.clients.indices.contains(place) {
                choose(place, context)
            } else {
                chooseTyped(text, context)
            }
        case .method:
            if let place, SignInMethod.allCases.indices.contains(place) { method = SignInMethod.allCases[place] }
        case .prompt:
            let prompts = [nil] + Prompt.allCases
            if let place, prompts.indices.contains(place) { promptKind = prompts[place] }
        case .scopes:
            hasNamedScopes = hasNamedScopes || scopes.text != text
            scopes = TextField(text)
        default: if let path = Self.text(of: field) { self[keyPath: path] = TextField(text) }
        }
    }
}
