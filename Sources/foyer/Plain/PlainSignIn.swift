import FoundationEssentials
import Identity
import SilentFirst
import Terminal

extension PlainInterface {
    /// Everything that the form of the screens asks: the method starts it, what else there is can be changed before.
    func signIn(_ account: Account?) async throws(Failure) {
        let picked: ClientChoice?
        if let account { picked = await client(of: account) } else { picked = await pick(session.choices) }
        guard var client = picked else { return }
        let methods = SignInMethod.allCases
        var request = TokenRequest(
            scopes: session.scopes(client, try session.authority(client)), account: account,
            loginHint: account.flatMap { $0.username.isEmpty ? nil : $0.username })
        while true {
            let rows =
                methods.map { "\($0.rawValue): \($0.plainWords)" } + [
                    "change the scopes: \(request.scopes)",
                    "change the tenant: \(request.tenant ?? "the authority's own")",
                    "change the prompt: \(request.prompt?.rawValue ?? "as the provider likes")",
                    "change the login hint: \(request.loginHint ?? "none")",
                    "change the authority: \(client.authority ?? "the client's own")",
                ]
            let choice = await choose(rows, zero: "back")
            switch choice - methods.count {
            case ...0:
                guard choice > 0 else { return }
                request.method = methods[choice - 1]
                return try await start(request, client)
            case 1:
                if let text = await ask("scopes, parted by spaces: "), !text.isEmpty {
                    request.scopes = ScopeSet(parsing: text)
                }
            case 2:
                if let text = await ask("tenant, empty for the authority's own: ") {
                    request.tenant = text.isEmpty ? nil : text
                }
            case 3:
                let prompts = Prompt.allCases
                let number = await choose(prompts.map(\.rawValue), zero: "as the provider likes")
                request.prompt = number > 0 ? prompts[number - 1] : nil
            case 4:
                if let text = await ask("login hint, empty for none: ") {
                    request.loginHint = text.isEmpty ? nil : text
                }
            default:
                if let text = await ask("authority, https and the provider's address: "), !text.isEmpty {
                    client.authority = text
                }
            }
        }
    }

    private func start(_ request: TokenRequest, _ client: ClientChoice) async throws(Failure) {
        var request = request
        if client.authority != nil { request.authority = try session.authority(client) }
        let wanted = request
        let application = try application(client)
        let conversation = CommandLineSignIn(session, client, SignInOptions(via: request.method), input: input)
        let who = request.account?.label ?? request.loginHint ?? ""
        let token = try await log.follow("sign-in", who, client.name, request.correlationID) { onStep in
            await conversation.result { agents, onEvent in
                await Result.of { () throws(Failure) in
                    try await application.acquireToken(wanted, userAgents: agents) { event in
                        if case .step(let step) = event { onStep(step) }
                        onEvent(event)
                    }
                }
            }
        } outcome: {
            $0.account.label
        }
        say("\(token.account.label) signed in for \(client.name); the token lives until \(token.expiresOn.rfc3339)")
        let declined = request.scopes.declined(granted: token.scopes)
        guard !declined.isEmpty else { return }
        say("not granted: \(declined)")
        guard await choose(["ask for consent again"], zero: "leave it") == 1 else { return }
        request.prompt = .consent
        request.account = token.account
        try await start(request, client)
    }
}

extension SignInMethod {
    fileprivate var plainWords: String {
        switch self {
        case .automatic: "what suits this machine"
        case .browser: "a browser on this machine"
        case .privateWindow: "a private window of a browser on this machine"
        case .native: "questions here, without a browser (Entra External ID only)"
        case .device: "a code to type on any device"
        case .text: "a text browser in this terminal"
        }
    }
}
