import CommandSupport
import Glibc
import Identity
import StrictJSON

/// The variables of `foyer use` for a shell, in the order in which they are printed.
struct ShellVariables {
    let signIn: ChosenSignIn?
    /// Nil unsets a variable: an earlier account or tenant must not stay with another client.
    let all: [(name: String, value: String?)]

    /// - Parameter signIn: nil to unset them.
    init(_ signIn: ChosenSignIn?, _ session: CommandContext) throws(Failure) {
        self.signIn = signIn
        var all: [(String, String?)] = [
            ("FOYER_CLIENT", signIn?.client.name), ("FOYER_ACCOUNT", signIn?.accountName),
            ("FOYER_TENANT", signIn?.tenant),
        ]
        // The client's name alone can mean another provider, as a variable of the shell can.
        if let signIn, let authority = signIn.client.ownAuthority {
            let set = session.environment["FOYER_AUTHORITY"].map { try? Authority($0) }
            let isOther = set.map { $0?.isOfSameProvider(as: authority) != true } ?? false
            if !signIn.isNamedFully(session) {
                all.append(("FOYER_AUTHORITY", authority.address.text))
            } else if isOther {
                all.append(("FOYER_AUTHORITY", nil))
            }
        }
        self.all = all
    }
}

/// A change of the settings by `foyer use`.
struct UsualSignInChange {
    let signIn: ChosenSignIn?
    /// Nil for everywhere.
    let folder: String?
    let path: String
    /// The line of the folder's rule.
    let line: Int?
    let isChanged: Bool
    /// The variables and rules that take precedence over it.
    let stronger: [String]
}

extension CommandContext {
    func show(_ variables: ShellVariables, _ syntax: ShellSyntax) {
        let lines = variables.all.map { syntax.line($0.name, $0.value) }
        let values = variables.all.map { ($0.name, $0.value.json) }
        output.result(
            JSONValue(
                [("changed", "shell".json)] + members(variables.signIn)
                    + [("variables", JSONValue(values)), ("lines", .array(lines.map(\.json)))]),
            or: lines)
        guard !output.json else { return }
        let whose = variables.signIn?.words ?? "unset"
        output.note(
            "foyer: for this shell: \(whose)"
                + (isatty(STDOUT_FILENO) == 1 ? "; evaluate these lines: eval \"$(foyer use …)\"" : ""))
    }

    func show(_ change: UsualSignInChange) {
        let place = change.folder.map { short($0) } ?? "everywhere"
        let source = short(change.path) + (change.line.map { ":\($0)" } ?? "")
        let words = change.signIn?.words ?? (change.isChanged ? "unset" : "nothing was set")
        output.result(
            JSONValue(
                [("changed", (change.folder == nil ? "everywhere" : "folder").json)] + members(change.signIn)
                    + [
                        ("folder", change.folder.json), ("settings", change.path.json),
                        ("line", change.line.map { JSONValue(integer: $0) } ?? .null),
                        ("stronger", .array(change.stronger.map(\.json))),
                    ]), or: ["\(place): \(words) (\(source))"])
        guard !output.json else { return }
        for stronger in change.stronger { output.note("foyer: takes precedence: \(stronger)") }
    }

    private func members(_ signIn: ChosenSignIn?) -> [(String, JSONValue)] {
        [
            ("client", (signIn?.client.name).json), ("clientId", (signIn?.client.clientID).json),
            ("account", signIn?.account.json ?? .null), ("tenant", (signIn?.tenant).json),
        ]
    }

    /// - Parameter signIn: nil removes the usual sign-in of all folders and shells without one.
    func setUsual(_ signIn: ChosenSignIn?) throws(Failure) -> UsualSignInChange {
        try saveClient(of: signIn)
        let before = settings
        if signIn != nil || before.defaultClient != nil {
            try SettingsFile(settings.path).set(
                usual: .init(signIn?.client.name, signIn?.accountName, signIn?.tenant))
        }
        let folders = before.rules.filter { $0.isOfFolder && $0.client != nil }.map {
            "the rule for \($0.conditions[.directory]?.text ?? "") on line \($0.line)"
        }
        return UsualSignInChange(
            signIn: signIn, folder: nil, path: settings.path, line: nil, isChanged: before.defaultClient != nil,
            stronger: shellVariables + folders)
    }

    /// - Parameter folder: absolute, without links.
    func setUsual(_ signIn: ChosenSignIn?, inFolder folder: String) throws(Failure) -> UsualSignInChange {
        try saveClient(of: signIn)
        let now = try readingSettingsAgain().settings
        let condition = ConditionValue(settings: environment.abbreviate(folder), of: .directory)
        let here = ProgramRequest(program: Product.name, directory: folder, home: environment.home)
        let old = now.rules.first { $0.isOfFolder && $0.mismatch(with: here) == nil }
        let names = [condition.text, folder, folder == environment.home ? "~" : folder]
        let isOwn = old.map { names.contains($0.conditions[.directory]?.text ?? "") } ?? false
        let rule = ProgramRule(
            [.directory: isOwn ? old?.conditions[.directory] ?? condition : condition], client: signIn?.client.name,
            account: signIn?.accountName, tenant: signIn?.tenant)
        if signIn != nil || isOwn {
            try SettingsFile(settings.path).set(folder: rule, among: now.rules, before: isOwn ? nil : old)
        }
        let written = try readingSettingsAgain().settings.rules
        let place = written.first { $0.isOfFolder && $0.conditions == rule.conditions }?.line
        let earlier = written.prefix { $0.line != place }.filter { rule in
            rule.conditions[.directory].map { directory in
                ProgramRule([.directory: directory]).mismatch(with: here) == nil
            } ?? true
        }
        return UsualSignInChange(
            signIn: signIn, folder: folder, path: settings.path, line: place, isChanged: isOwn,
            stronger: shellVariables
                + (place == nil ? [] : earlier.map { "the rule on line \($0.line), for its programs" }))
    }

    private var shellVariables: [String] {
        let names = ["FOYER_CLIENT", "FOYER_ACCOUNT"].filter { environment[$0] != nil }
        return names.isEmpty ? [] : [names.joined(separator: " and ") + " in this shell"]
    }

    /// The settings name only clients that they have, or well-known ones.
    private func saveClient(of signIn: ChosenSignIn?) throws(Failure) {
        guard let signIn else { return }
        if settings.choice(named: signIn.client.name) == nil {
            _ = try save(signIn.client)
            output.event(
                "clientSaved", [("name", signIn.client.name.json), ("settings", settings.path.json)],
                or: "client \"\(signIn.client.name)\" saved in \(short(settings.path))")
            return
        }
        guard signIn.isNamedFully(self) else {
            var client = signIn.client
            client.name += "-2"
            throw Failure(
                .configuration, "\(signIn.client.name) in the settings is of another provider than this sign-in",
                hint: .write(lines: client.lines(), into: "\(settings.path), and name it with --client"))
        }
    }
}
