import CommandSupport
import Console
import Identity
import TokenCache

/// The sign-in that `foyer use` names: an account and a client by which it has signed in.
struct ChosenSignIn {
    let account: Account
    /// At the authority of the sign-in.
    let client: ClientChoice
    let tenant: String?
    /// The name to keep: the account's label, or its ID if other accounts have the label or it cannot be pasted.
    let accountName: String

    /// - Parameter name: of the account; nil for the only one of the named client.
    /// - Throws: `notFound`, or `ambiguous` with the words that choose.
    init(_ name: String?, _ session: CommandContext) throws(Failure) {
        let named = try session.resolved()
        let client = named.source == .option ? named.client : nil
        let snapshot = try session.snapshot(client)
        let signIns = SignInSearch(session, snapshot)
        let use: ClientUse
        if let client {
            let held = try signIns.accounts(of: client, wipes: false).filter { account in
                signIns.use(of: account, by: client) != nil
            }
            account = try Self.account(name, of: client, among: held, signIns, session)
            guard let found = signIns.use(of: account, by: client) else {
                throw signIns.failure(naming: account.label, client)
            }
            use = found
        } else {
            (account, use) = try Self.signIn(name ?? "", signIns)
        }
        self.client = signIns.known.choice(of: use)
        tenant = session.shared.tenant
        let label = account.label
        let isUnique = snapshot.accounts(clientID: nil).named(by: label).count == 1
        accountName = isUnique && SafeText.line(label) == label ? label : account.homeAccountID
        guard SafeText.line(accountName) == accountName, SafeText.line(self.client.name) == self.client.name else {
            throw Failure(.invalidInput, "the names of this sign-in have control characters", hint: "sign in again")
        }
    }

    private static func account(
        _ name: String?, of client: ClientChoice, among held: [Account], _ signIns: SignInSearch,
        _ session: CommandContext
    ) throws(Failure) -> Account {
        if let name {
            guard held.isEmpty || held.meant(by: name).isEmpty else { return try AccountChoice.find(name, among: held) }
            let elsewhere = try !signIns.accounts.meant(by: name).isEmpty
            guard held.isEmpty || elsewhere else { return try AccountChoice.find(name, among: held) }
            throw signIns.failure(naming: name, client)
        }
        guard held.count > 1 else {
            if let only = held.first { return only }
            throw Failure(
                .notFound, "no account has signed in by \(client.name)",
                hint: .text(session.signInHint(client: client)))
        }
        throw Failure(
            .ambiguous,
            "\(held.count) accounts have signed in by \(client.name): "
                + held.map { "\($0.label) (\($0.homeAccountID))" }.joined(separator: "; "),
            hint: .text("name one: foyer use ACCOUNT --client \(client.name.shellWord)"))
    }

    private static func signIn(_ name: String, _ signIns: SignInSearch) throws(Failure) -> (Account, ClientUse) {
        let all = try signIns.accounts
        let matches = all.meant(by: name)
        guard matches.count < 2 else {
            throw Refusal.ambiguousAccount(name, matches, clients: signIns.clients(of: matches)).failure
        }
        let account = try AccountChoice.find(name, among: all)
        let uses = signIns.uses(of: account)
        guard let use = uses.first else {
            throw Failure(.notFound, "\(account.label) has no tokens", hint: "\"foyer accounts\" lists the sign-ins")
        }
        let names = uses.map(signIns.known.name(of:))
        guard Set(names).count == 1 else {
            throw Failure(
                .ambiguous, "\(account.label) is signed in for \(names.joined(separator: ", "))",
                hint: .text("name one: " + names.map { "--client \($0.shellWord)" }.joined(separator: " or ")))
        }
        return (account, use)
    }

    /// `ada@contoso.example by azure-cli`.
    var words: String {
        "\(account.label) by \(client.name)" + (tenant.map { ", tenant \($0)" } ?? "")
    }

    /// Whether `--client NAME` alone means this client at the provider of the sign-in.
    func isNamedFully(_ session: CommandContext) -> Bool {
        guard let named = try? session.world.client(named: client.name), let authority = client.ownAuthority else {
            return false
        }
        return named.isOfProvider(of: authority)
    }
}

extension SignInSearch {
    /// The account's sign-in by this client's name.
    fileprivate func use(of account: Account, by client: ClientChoice) -> ClientUse? {
        uses(of: account).first { use in
            ClientID.isSame(use.clientID, client.clientID) && Client.isSameName(known.name(of: use), client.name)
        }
    }
}
