package import Identity

/// Why a request comes to nobody's token: what the resolution ends with where it gives no answer.
package enum Refusal: Error, Hashable, Sendable {
    /// Who has named what an asker must stay within.
    package enum Bound: Hashable, Sendable {
        case option(String)
        case rule(line: Int)
    }

    /// What the token is for was named by nobody.
    case placeNotNamed(ProgramRequest, ProgramRule.Condition)
    /// The client's provider is of a kind that the place does not take.
    case otherKind(client: String, Authority.Kind, ProgramRequest)
    /// The asker names something else than a command line or a rule.
    case outOfBound(Bound, what: String, asked: String, bound: String)
    /// Nobody has named a scope of the place, and the usual ones are Microsoft Graph's.
    case noScopes(ProgramRequest, client: String)
    case noClient(settings: String)
    case unknownClient(String, known: [String])
    case badAuthority(String, why: String)
    /// - Parameter signIn: whether a rule or an option of a program names them, who may not have signed in yet.
    case noAccount(String, client: String, signIn: Bool)
    case ambiguousAccount(String, [Account])
    /// The program is set to somebody who is not there.
    case otherUser(ProgramUser, client: String)
    /// An ID token says who a person is, and an AI agent's session is no person.
    case idTokenForAgent
    /// Something else is in the way, which a resolution does not decide.
    case failed(Failure)
}

extension Refusal {
    package var failure: Failure {
        switch self {
        case .placeNotNamed(let request, let condition):
            let place = request[condition] ?? ""
            if condition == .cluster {
                return Failure(
                    .interactionRequired,
                    place.isEmpty
                        ? "kubectl does not say which cluster the token is for"
                        : "no rule names the cluster \(place)",
                    hint: .text("run \"foyer setup kubectl\", which writes a rule for each cluster of the kubeconfig"))
            }
            return Failure(
                .notFound, "\(request.words) gets no token: no rule names \(place)",
                hint: .text("write a rule with \(condition.rawValue) = \"\(place)\" and a client into the settings"))
        case .otherKind(let client, let kind, let request):
            return Failure(
                .configuration, "\(request.words) takes no tokens of \(client), whose provider is of the kind \(kind)",
                hint: "name a client of Entra ID for it, such as \"Azure CLI\"")
        case .outOfBound(let bound, let what, let asked, let wanted):
            return Failure(
                .configuration, "\(bound.words) names the \(what) \(wanted), and \(asked) was asked for",
                hint: "ask without naming one, or change what is named there")
        case .noScopes(let request, let client):
            return Failure(
                .configuration, "no scope is named for \(request.words): the default of \(client) is Microsoft Graph's",
                hint: "write scopes = [\"…\"] into the rule or the client")
        case .noClient(let settings):
            return Failure(
                .configuration, "no client is named",
                hint: .text(
                    """
                    run it with --client \(CommandContext.clientToBeginWith.shellWord) or another client \
                    ("foyer clients --all"), or write in \(settings): client = "work" and [clients.work] with \
                    client_id and authority
                    """))
        case .unknownClient(let name, let known):
            return Failure(
                .configuration, "no client is named \"\(name)\"",
                hint: .text("known are: \(known.joined(separator: ", ")); see \"foyer clients --all\""))
        case .badAuthority(let text, let why):
            return Failure(
                .configuration, "\(text): \(why)", hint: .text("write an address such as " + Authority.defaultAddress))
        case .noAccount(let name, let client, let signIn):
            let command = "foyer sign-in --client \(client.shellWord) --login-hint \(name.shellWord)"
            return Failure(
                signIn ? .interactionRequired : .notFound, "no account matches \"\(name)\"",
                hint: .text(signIn ? "run \"\(command)\"" : "\"foyer accounts\" lists them"))
        case .ambiguousAccount(let name, let matches):
            return Failure(
                .ambiguous,
                "\(matches.count) accounts match \"\(name)\": "
                    + matches.map { "\($0.label) (\($0.homeAccountID), \($0.provider))" }.joined(separator: "; "),
                hint: Set(matches.map(\.homeAccountID)).count > 1
                    ? "name one by its home account id" : "name the provider with --authority")
        case .otherUser(let user, let client): return user.failure(client: client)
        case .idTokenForAgent:
            return Failure(
                .interactionRequired, "an AI agent's session gets no ID token of a person",
                hint: .text("run it where \(RequestField.agentSessionVariable) is not set"))
        case .failed(let failure): return failure
        }
    }
}

extension Refusal.Bound {
    fileprivate var words: String {
        switch self {
        case .option(let name): "the command line (\(name))"
        case .rule(let line): "the rule of line \(line)"
        }
    }
}

extension ProgramUser {
    fileprivate func failure(client: String) -> Failure {
        switch self {
        case .person(let name):
            Failure(
                .interactionRequired, "Azure CLI is set to \(name), who has not signed in to foyer",
                hint: .text("run \"foyer sign-in --client \(client.shellWord) --login-hint \(name.shellWord)\""))
        case .service(let name):
            Failure(
                .interactionRequired, "Azure CLI is set to the service principal \(name), and foyer has none",
                hint: "use Azure CLI itself, or name an account in a rule for az")
        case .unknown(let why):
            Failure(
                .interactionRequired, "nobody knows whom Azure CLI is set to: \(why)",
                hint: "sign in with Azure CLI itself, or name an account in a rule for az")
        }
    }
}
