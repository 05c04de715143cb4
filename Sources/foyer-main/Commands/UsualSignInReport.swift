import CommandSupport
import Identity
import StrictJSON
import TokenCache

/// The sign-in for requests without a client and an account in this shell and folder, and where it is set.
struct UsualSignInReport {
    private let session: CommandContext
    private let call: Result<TokenCall, Failure>
    private let usual: [UsualSignIn]
    private let remembered: ClientChoice?

    init(_ session: CommandContext) throws(Failure) {
        self.session = session
        var options = session.shared
        (options.silent, options.neverAsks) = (true, true)
        do throws(Failure) { call = .success(try TokenCall(options, asksLater: true) { _ in }) } catch {
            call = .failure(error)
        }
        usual = session.world.usualSignIns(ofProgram: false)
        remembered = session.world.remembered()
    }

    private var found: TokenCall? { try? call.get() }
    private var by: ResolvedClient? { found?.resolution.by }

    /// - Throws: the failure that a request would get, unless nothing is set and no account is signed in.
    func show(_ output: Output) throws(Failure) {
        output.result(json, or: lines)
        guard case .failure(let failure) = call else { return }
        guard failure.code == .configuration || failure.code == .storeError else { throw failure }
        // Nothing is set and nothing is signed in: that is the answer.
        if failure.code == .storeError || session.settings.defaultClient != nil || !usual.isEmpty { throw failure }
    }

    private var lines: [String] {
        var lines: [String] = []
        if let found, let by {
            lines.append("client: \(found.client.name), \(source(of: by))")
            lines.append("account: \(accountWords(found, by))")
            if let tenant = by.tenant { lines.append("tenant: \(tenant)") }
            lines.append("provider: \(found.resolution.authority.provider)")
        } else {
            lines.append("no sign-in is used by default; name one with --client and --account")
        }
        for other in usual where !isUsed(other) {
            let parts = [other.client, other.account, other.tenant].compactMap(\.self)
            lines.append("not used: \(parts.joined(separator: ", ")), \(words(other))")
        }
        if let remembered, by?.source != .remembered {
            lines.append("not used: \(remembered.name), the first to sign in")
        }
        return lines
    }

    private func source(of by: ResolvedClient) -> String {
        guard by.source == .rule, let rule = session.world.ofFolder?.rule else { return by.source.words }
        return "set by \(words(rule))"
    }

    private func words(_ rule: ProgramRule) -> String {
        let path = session.short(session.settings.path)
        return "the rule for \(rule.conditions[.directory]?.text ?? "") on line \(rule.line) of \(path)"
    }

    private func words(_ usual: UsualSignIn) -> String {
        switch usual.source {
        case .environment: "set by this shell"
        case .rule: usual.rule.map { "set by \(words($0))" } ?? "set by a rule"
        case .settings: "from the settings"
        }
    }

    private func accountWords(_ call: TokenCall, _ by: ResolvedClient) -> String {
        let source = accountSource(call, by)
        guard let account = call.meantAccount else { return source.words }
        return "\(account.label), \(source.words)"
    }

    private func accountSource(_ call: TokenCall, _ by: ResolvedClient) -> (name: String, words: String) {
        let name = by.accountSource.rawValue
        switch by.accountSource {
        case .environment: return (name, "set by FOYER_ACCOUNT")
        case .rule: return (name, "set by the rule")
        case .settings: return (name, "from the settings")
        case .option: return (name, "set by an option")
        case .asked, .program, .person, .nobody: break
        }
        let count = call.snapshot.accounts(clientID: call.client.clientID).count
        guard call.meantAccount == nil else {
            return count == 1 ? ("only", "the only one") : ("current", "the client's current account")
        }
        return count == 0 ? ("none", "no account signed in") : ("several", "none set, \(count) are signed in")
    }

    /// Whether it is in effect, wholly or in part.
    private func isUsed(_ usual: UsualSignIn) -> Bool {
        guard let by else { return false }
        if by.usual == usual { return true }
        switch (usual.source, by.source) {
        case (.environment, .environment), (.rule, .rule), (.settings, .settings): return usual.client != nil
        default: return false
        }
    }

    private var json: JSONValue {
        let places = usual.map { usual in
            JSONValue(
                ("place", usual.place.json), ("client", usual.client.json), ("account", usual.account.json),
                ("tenant", usual.tenant.json), ("folder", (usual.rule?.conditions[.directory]?.text).json),
                ("line", usual.rule.map { JSONValue(integer: $0.line) } ?? .null), ("isUsed", .bool(isUsed(usual))))
        }
        let first = remembered.map { remembered in
            JSONValue(
                ("place", "remembered".json), ("client", remembered.name.json), ("account", .null), ("tenant", .null),
                ("folder", .null), ("line", .null), ("isUsed", .bool(by?.source == .remembered)))
        }
        return JSONValue(
            ("client", (found?.client.name).json), ("clientId", (found?.client.clientID).json),
            ("clientSource", (by?.source.rawValue).json), ("account", found?.meantAccount?.json ?? .null),
            ("accountSource", found.map { accountSource($0, $0.resolution.by).name }.json),
            ("tenant", (by?.tenant).json), ("authority", (found?.resolution.authority.address.text).json),
            ("settings", session.settings.path.json), ("places", .array(places + [first].compactMap(\.self))))
    }
}

extension UsualSignIn {
    fileprivate var place: String {
        switch source {
        case .environment: "shell"
        case .rule: "folder"
        case .settings: "everywhere"
        }
    }
}
