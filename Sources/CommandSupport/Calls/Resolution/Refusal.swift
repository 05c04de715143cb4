package import Identity

/// The reason why the resolution finds no token for a request.
package enum Refusal: Error, Hashable, Sendable {
    package enum Bound: Hashable, Sendable {
        case option(String)
        case rule(line: Int)
    }

    /// No rule names the destination.
    case placeNotNamed(ProgramRequest, ProgramRule.Condition)
    /// The destination does not accept the client's kind of provider.
    case otherKind(client: String, Authority.Kind, ProgramRequest)
    /// The program requests a value that contradicts the command line or a rule.
    case outOfBound(Bound, what: String, asked: String, bound: String)
    /// No scopes are set for the destination, and the default scopes are Microsoft Graph's.
    case noScopes(ProgramRequest, client: String)
    case noClient(settings: String)
    case unknownClient(String, known: [String])
    case badAuthority(String, why: String)
    /// - Parameter signIn: whether the name comes from a rule or a program, so the account may not have signed in yet.
    case noAccount(String, client: String, signIn: Bool)
    /// - Parameter clients: the names of the clients by which they have signed in, each another one; else empty.
    case ambiguousAccount(String, [Account], clients: [String] = [])
    /// Accounts of this name are of other providers than the client.
    /// - Parameters:
    ///   - client: whose provider the request is for.
    ///   - others: the providers of these accounts.
    ///   - clients: the names of the clients by which they have signed in.
    case ofOtherProvider(String, client: String, provider: String, others: [String], clients: [String])
    /// Several clients of the settings have this ID, at different providers.
    case ambiguousClient(String, [String])
    case otherUser(ProgramUser, client: String)
    case failed(Failure)
}

extension Refusal {
    package var failure: Failure {
        switch self {
        case .placeNotNamed(let request, let condition):
            let place = request[condition] ?? ""
            do throws(Failure) { _ = try request.conditions() } catch {
                return Failure(
                    condition == .cluster ? .interactionRequired : .notFound, error.message, hint: error.hint)
            }
            if condition == .cluster {
                return Failure(
                    .interactionRequired,
                    place.isEmpty
                        ? "kubectl does not name the cluster"
                        : "no rule names the cluster \(place)",
                    hint: .text("run \"foyer setup kubectl\" to add a rule for each cluster of the kubeconfig"))
            }
            return Failure(
                .notFound, "\(request.words) gets no token: no rule names \(place)",
                hint: .text("add a rule with \(condition.rawValue) = \"\(place)\" and a client to the settings"))
        case .otherKind(let client, let kind, let request):
            return Failure(
                .configuration, "\(request.words) does not accept tokens of \(client) (kind \(kind))",
                hint: "choose an Entra ID client, such as azure-cli")
        case .outOfBound(let bound, let what, let asked, let wanted):
            return Failure(
                .configuration, "\(bound.words) sets the \(what) \(wanted), but \(asked) was requested",
                hint: "leave it out of the request, or change it there")
        case .noScopes(let request, let client):
            return Failure(
                .configuration, "no scopes set for \(request.words): the default of \(client) is for Microsoft Graph",
                hint: "add scopes = [\"…\"] to the rule or the client")
        case .noClient(let settings):
            return Failure(
                .configuration, "no client given",
                hint: .text(
                    """
                    use --client \(CommandContext.clientToBeginWith.shellWord) or another client \
                    ("foyer clients --all"), or set in \(settings): client = "work" and [clients.work] with \
                    client_id and authority
                    """))
        case .unknownClient(let name, let known):
            return Failure(
                .configuration, "unknown client \"\(name)\"",
                hint: .text(
                    Spelling.suggestion(for: name, among: known + Client.wellKnown.map(\.name))
                        + "known clients: \(known.joined(separator: ", ")); see \"foyer clients --all\""))
        case .badAuthority(let text, let why):
            return Failure(
                .configuration, "\(text): \(why)", hint: .text("use a URL such as " + Authority.defaultAddress))
        case .noAccount(let name, let client, let signIn):
            let command = "foyer sign-in --client \(client.shellWord) --login-hint \(name.shellWord)"
            return Failure(
                signIn ? .interactionRequired : .notFound, "no account matches \"\(name)\"",
                hint: .text(signIn ? "run \"\(command)\"" : "\"foyer accounts\" lists them"))
        case .ambiguousAccount(let name, let matches, let clients):
            return Failure(
                .ambiguous,
                "\(matches.count) accounts match \"\(name)\": "
                    + matches.map { "\($0.label) (\($0.homeAccountID), \($0.provider))" }.joined(separator: "; "),
                hint: Set(clients).count > 1
                    ? .text("choose with " + Self.choices(clients))
                    : Set(matches.map(\.homeAccountID)).count > 1
                        ? "use the home account id" : "choose the provider with --authority")
        case .ofOtherProvider(let name, let client, let provider, let others, let clients):
            return Failure(
                .notFound,
                "no account of \(provider) matches \"\(name)\""
                    + (others.isEmpty
                        ? "" : ", which is an account of \(Set(others).sorted().joined(separator: " and "))"),
                hint: clients.isEmpty
                    ? .text("run \"foyer sign-in --client \(client.shellWord) --login-hint \(name.shellWord)\"")
                    : .text("signed in by \(Self.choices(clients))"))
        case .ambiguousClient(let id, let names):
            return Failure(
                .ambiguous, "\(names.count) clients have the ID \(id), at different providers",
                hint: .text("choose with " + Self.choices(names)))
        case .otherUser(let user, let client): return user.failure(client: client)
        case .failed(let failure): return failure
        }
    }
}

extension Refusal {
    /// `--client a or --client b`.
    package static func choices(_ clients: [String]) -> String {
        var seen: Set<String> = []
        return clients.filter { seen.insert($0).inserted }.map { "--client \($0.shellWord)" }.joined(separator: " or ")
    }
}

extension Refusal.Bound {
    fileprivate var words: String {
        switch self {
        case .option(let name): "the command line (\(name))"
        case .rule(let line): "the rule on line \(line)"
        }
    }
}

extension ProgramUser {
    fileprivate func failure(client: String) -> Failure {
        switch self {
        case .person(let name):
            Failure(
                .interactionRequired, "Azure CLI uses \(name), who is not signed in to foyer",
                hint: .text("run \"foyer sign-in --client \(client.shellWord) --login-hint \(name.shellWord)\""))
        case .service(let name):
            Failure(
                .interactionRequired, "Azure CLI uses the service principal \(name), which foyer does not support",
                hint: "use Azure CLI itself, or set an account in a rule for az")
        case .unknown(let why):
            Failure(
                .interactionRequired, "cannot determine Azure CLI's account: \(why)",
                hint: "sign in with Azure CLI itself, or set an account in a rule for az")
        }
    }
}
