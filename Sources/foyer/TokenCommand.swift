import ArgumentParser
import Glibc
import Identity
import SilentFirst

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Prints an access token, alone: silent first, interactive only when that is the answer.")
    @OptionGroup var shared: SharedOptions
    @OptionGroup var interactive: InteractiveOptions
    @Flag(help: "Never interactive.")
    var silent = false
    @Flag(name: .customLong("force-refresh"), help: "Pass over cached access tokens.")
    var forceRefresh = false
    @Option(help: ArgumentHelp("A claims request as the resource demanded it.", valueName: "json"))
    var claims: String?

    func run() async throws {
        let session = try Session(shared)
        let client = try session.client()
        let application = try session.application(client, redirectURI: interactive.redirectURI)
        for warning in application.storeWarnings { session.output.note("foyer: " + warning) }
        if let claims, !ClaimsRequest.isValid(claims) {
            throw Failure(.usage, "--claims is not a JSON object", hint: "pass it on exactly as the resource gave it, in single quotes")
        }
        var request = try interactive.request(session, client)
        request.forceRefresh = forceRefresh
        request.claims = claims
        request.account = try await session.account(in: application)

        let token: AcquiredToken
        if silent || !interactive.mayAsk(session) {
            token = try await application.acquireTokenSilent(request) { session.output.step($0) }
        } else {
            let conversation = Conversation(session, client, interactive)
            let wish = request
            token = try await conversation.run { userAgents, onEvent in
                await Result.of { () throws(Failure) in
                    try await application.acquireTokenSilentFirst(wish, userAgents: userAgents, onEvent: onEvent)
                }
            }
        }
        if shared.json { session.output.result(token.json) } else { try session.output.token(token.accessToken) }
    }
}

struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Signs a person in, always interactively, and prints the account.", aliases: ["login"])
    @OptionGroup var shared: SharedOptions
    @OptionGroup var interactive: InteractiveOptions

    func run() async throws {
        let session = try Session(shared)
        let client = try session.client()
        let application = try session.application(client, redirectURI: interactive.redirectURI)
        var request = try interactive.request(session, client)
        if let named = shared.account {
            // The account need not be known yet: what was named then is the hint for the provider's page.
            let known = try await application.everyAccount()
            if let account = try? AccountChoice.find(named, among: known) {
                request.account = account
                request.loginHint = request.loginHint ?? (account.username.isEmpty ? nil : account.username)
            } else {
                request.loginHint = request.loginHint ?? named
            }
        }
        let wish = request
        let token = try await Conversation(session, client, interactive).run { userAgents, onEvent in
            await Result.of { () throws(Failure) in try await application.acquireToken(wish, userAgents: userAgents, onEvent: onEvent) }
        }
        if shared.json {
            session.output.result(token.signedInJSON)
        } else {
            let name = token.account.name.map { " (\($0))" } ?? ""
            session.output.lines(["\(token.account.label)\(name) signed in for \(client.name) at \(token.authority)"])
        }
    }
}

extension InteractiveOptions {
    func request(_ session: Session, _ client: ClientChoice) throws(Failure) -> TokenRequest {
        let authority = try session.authority(client)
        return TokenRequest(
            scopes: session.scopes(client, authority), tenant: tenant, method: via ?? .automatic, prompt: prompt, loginHint: loginHint,
            domainHint: domainHint, extraScopes: ScopeSet(extraScopes))
    }

    /// A person can be asked when one is at the terminal, or when the command says how (a script that shows the code elsewhere).
    func mayAsk(_ session: Session) -> Bool {
        via != nil || paste || (isatty(STDERR_FILENO) == 1 && isatty(STDIN_FILENO) == 1)
    }
}

extension Session {
    /// The account of `--account`, looked up without a server; nil when none is named.
    func account(in application: PublicClientApplication) async throws(Failure) -> Account? {
        guard let named = shared.account else { return nil }
        do throws(Failure) {
            return try AccountChoice.find(named, among: try await application.allAccounts())
        } catch {
            // An account that this client does not hold may be there through another: silent then says that a person is needed.
            guard error.code == .notFound else { throw error }
            return try AccountChoice.find(named, among: try await application.everyAccount())
        }
    }
}

extension Result where Failure == Identity.Failure {
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
