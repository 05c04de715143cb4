// Programs serves other programs in their own protocols: the managed-identity endpoint, the helpers of git, docker,
// kubectl and az. What it must not do: decide which account is meant (CommandSupport's rules do), or ask a person
// (foyer-main does).

package import CommandSupport
import FoundationEssentials
package import Identity
import SilentFirst
import TokenCache

/// One program's request for a token, worked out: which rule, client and account, and what a silent call would do.
package struct ProgramCall: Sendable {
    package let request: ProgramRequest
    package private(set) var choice: ProgramChoice
    package private(set) var call: TokenCall
    private let isIDToken: Bool
    /// Whether the account is the one that the program itself is set to.
    private(set) var hasUser = false
    /// Why nobody gets a token: the program is set to somebody whom the store does not have.
    package private(set) var failureOfUser: Failure?

    /// What the program's own configuration and its protocol say.
    package struct Wish: Sendable {
        package var request: ProgramRequest
        /// Options of the helper.
        package var options: CommonOptions
        package var tenant: String?
        /// How a person is asked, where the program's configuration says it; the tenant is the one above.
        package var asking = SignInOptions()
        package var defaults: ProgramChoice.Defaults
        /// Whom the program is set to; they count where neither an option nor a rule names an account.
        package var user: AzureProfile.User?
        /// A claims challenge that the resource has answered the last token with.
        package var claims: String?
        package var forceRefresh = false
        /// For whoever wants the ID token of the sign-in in the place of an access token.
        package var isIDToken = false

        package init(
            _ request: ProgramRequest, options: CommonOptions = CommonOptions(), tenant: String? = nil,
            defaults: ProgramChoice.Defaults = ProgramChoice.Defaults()
        ) {
            self.request = request
            self.options = options
            self.tenant = tenant
            self.defaults = defaults
        }
    }

    /// - Parameter isAsked: whether the program is there and is answered, so that what it is refused with is noted;
    ///   off for who only looks, and for what is tried on the way to an answer.
    /// - Returns: nil where the request is of a host that nobody has named for tokens.
    /// - Throws: what `foyer token` would for a client or an account that is not there.
    package init?(_ wish: Wish, _ environment: ProcessEnvironment, isAsked: Bool = true) throws(Failure) {
        var common = wish.options
        common.neverAsks = true
        let settings = try CommandContext(common, environment: environment).settings
        guard
            let choice = ProgramChoice(
                wish.request, settings, options: common, tenant: wish.tenant, defaults: wish.defaults,
                namesClient: environment["FOYER_CLIENT"] != nil)
        else { return nil }
        request = wish.request
        isIDToken = wish.isIDToken
        self.choice = choice
        do throws(Failure) {
            call = try TokenCall(Self.options(choice, wish), environment: environment) { _ in }
        } catch {
            var failure = error
            // A rule may name somebody who has not signed in yet.
            if error.code == .notFound, let account = choice.account {
                let client = choice.client.map { " --client \($0.shellWord)" } ?? ""
                failure = Failure(
                    .interactionRequired, error.message,
                    hint: .text("run \"foyer sign-in\(client) --login-hint \(account.shellWord)\""))
            }
            if isAsked { ProgramUses(environment).note(ProgramUse(of: request, choice, failure, at: Date())) }
            throw failure
        }
        guard let user = wish.user, choice.account == nil else { return }
        guard let account = user.account(among: candidates) else {
            // Somebody else's token would be another's authority under this one's name.
            failureOfUser = user.failure(client: call.client.name)
            return
        }
        self.choice.account = account.homeAccountID
        call = try TokenCall(Self.options(self.choice, wish), environment: environment) { _ in }
        hasUser = true
    }

    /// The options of `foyer token --silent` that come to the same.
    package static func options(_ choice: ProgramChoice, _ wish: Wish) -> TokenOptions {
        var common = wish.options
        if choice.clientSource != .option { common.client = choice.client }
        common.account = choice.account
        common.scopes = choice.scopes
        var asking = wish.asking
        asking.tenant = choice.tenant
        return TokenOptions(
            common: common, asking: asking, silent: true,
            forceRefresh: wish.forceRefresh, claims: wish.claims)
    }

    /// The cached token, or a refreshed one. Nobody is asked, and nothing is noted.
    ///
    /// - Throws: what the silent call ends with; of several accounts the hint is the rule to write.
    package func silentToken(_ calls: SilentCalls) async throws(Failure) -> ProgramToken {
        if let failureOfUser { throw failureOfUser }
        do throws(Failure) {
            if isIDToken {
                return ProgramToken(try await call.idToken(calls, forceRefresh: call.choices.forceRefresh))
            }
            if let token = try cachedToken() { return token }
            switch call.answerOfAgent().answer {
            case .token(let answer): if let token = ProgramToken(answer) { return token }
            case .failure(let failure): throw failure
            case nil: break
            }
            return ProgramToken(try await calls.acquire(call).token)
        } catch { throw hinted(error) }
    }

    /// What would be handed out without anything being sent; nil where it has to be refreshed.
    package func cachedToken() throws(Failure) -> ProgramToken? {
        if let failureOfUser { throw failureOfUser }
        if isIDToken {
            return call.choices.forceRefresh ? nil : call.storedIDToken(at: Date()).map { ProgramToken($0) }
        }
        return try call.cachedToken().map { ProgramToken($0) }
    }

    func hinted(_ failure: Failure) -> Failure {
        guard failure.code == .ambiguous, let account = candidates.first else { return call.hinted(failure) }
        var failure = failure
        failure.hint = .text(
            "write into \(call.session.settings.path): \(rule(for: account).oneLine) (or another account)")
        return failure
    }

    /// The accounts that could be meant, where none is named.
    package var candidates: [Account] { call.candidates }

    /// The rule that would choose this account for requests like this one.
    package func rule(for account: Account) -> ProgramRule {
        let isNamed = [.option, .rule, .provider].contains(choice.clientSource)
        return ProgramRule(
            request.conditions, client: isNamed ? call.client.name : nil, account: account.label,
            tenant: choice.rule?.tenant,
            scopes: choice.rule?.scopes ?? [])
    }
}
