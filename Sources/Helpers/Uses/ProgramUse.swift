package import CommandSupport
import Console
package import FoundationEssentials
package import Identity
package import StrictJSON

/// One token request of a program and its result, without secrets. Strings are cleaned and truncated when written and
/// when read.
package struct ProgramUse: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The value of `source` in `foyer token --json`: `cache`, `refresh`, `interactive`, …
        case given(source: String)
        case refused(code: String, why: String)
    }

    /// The fields that rules match, without the home folder.
    package let request: ProgramRequest
    package let client: String
    package let clientID: String
    /// A ``ResolvedClient/Source``.
    package let clientSource: String
    /// The username; empty if unresolved.
    package let account: String
    /// The home account id; empty if unresolved.
    package let accountID: String
    package let tenant: String
    package let scopes: [String]
    /// The matching rule's line in the settings file.
    package let ruleLine: Int?
    package let outcome: Outcome
    /// The number of accounts that fit, if no rule chose one of them; else nil.
    package let fitting: Int?
    /// How long the program waited; nil if that was not measured.
    package let milliseconds: Int?
    /// Seconds since the epoch.
    package let at: Int64

    /// Longest string, in characters; a cluster URL or a provider's message can be longer.
    private static let longest = 240
    private static let mostScopes = 8

    /// - Parameter took: from the request to its result.
    package init(
        of request: ProgramRequest, by call: TokenCall, _ result: Result<IssuedToken, Failure>, took: Duration,
        at now: Date
    ) {
        let token = try? result.get()
        self.request = request.cleaned(Self.line)
        client = Self.line(call.client.name)
        clientID = Self.line(token?.clientID ?? call.client.clientID)
        let by = call.resolution.by
        clientSource = by.source.rawValue
        account = Self.line(
            token?.username ?? call.request.account?.username ?? call.resolution.absentPerson ?? by.account ?? "")
        accountID = Self.line(token?.accountID ?? call.request.account?.homeAccountID ?? "")
        tenant = Self.line(token?.tenantID ?? by.tenant ?? "")
        scopes = call.request.scopes.names.prefix(Self.mostScopes).map(Self.line)
        ruleLine = by.rule?.line
        switch result {
        case .success(let token): outcome = .given(source: Self.line(token.source))
        case .failure(let failure): outcome = Self.refusal(failure)
        }
        if case .ask(let accounts) = call.resolution.outcome { fitting = accounts.count } else { fitting = nil }
        milliseconds = took.milliseconds
        at = now.epochSeconds
    }

    /// For a request that failed before a client and store were resolved.
    package init(of request: ProgramRequest, _ by: ResolvedClient, _ failure: Failure, at now: Date) {
        self.request = request.cleaned(Self.line)
        client = Self.line(by.client?.name ?? "")
        clientID = Self.line(by.client?.clientID ?? "")
        clientSource = by.source.rawValue
        account = Self.line(by.account ?? by.requestedAccount ?? by.person.address ?? "")
        accountID = ""
        tenant = Self.line(by.tenant ?? "")
        scopes = by.namedScopes(.aad).names.prefix(Self.mostScopes).map(Self.line)
        ruleLine = by.rule?.line
        outcome = Self.refusal(failure)
        (fitting, milliseconds) = (nil, nil)
        at = now.epochSeconds
    }

    package var date: Date { Date(timeIntervalSince1970: Double(at)) }

    private static func refusal(_ failure: Failure) -> Outcome {
        .refused(code: failure.code.rawValue, why: line(failure.message))
    }

    private static func line(_ text: String) -> String { SafeText.line(text, limit: longest) }

    // MARK: JSON

    package var json: JSONValue {
        var members: [(String, JSONValue)] = [("program", request.program.json)]
        for condition in ProgramRule.Condition.allCases where condition != .program {
            if let value = request[condition] { members.append((condition.rawValue, value.json)) }
        }
        if let name = request.person.name { members.append(("username", name.json)) }
        members += [
            ("client", client.json), ("clientId", clientID.json), ("clientSource", clientSource.json),
            ("account", account.json), ("homeAccountId", accountID.json), ("tenant", tenant.json),
            ("scopes", .array(scopes.map(\.json))), ("rule", ruleLine.map { JSONValue(integer: $0) } ?? .null),
        ]
        switch outcome {
        case .given(let source): members.append(("source", source.json))
        case .refused(let code, let why): members += [("refused", code.json), ("why", why.json)]
        }
        if let fitting { members.append(("fitting", JSONValue(integer: fitting))) }
        if let milliseconds { members.append(("milliseconds", JSONValue(integer: milliseconds))) }
        members.append(("at", JSONValue(integer: at)))
        return JSONValue(members)
    }

    package init?(_ value: JSONValue) {
        func text(_ name: String) -> String { Self.line(value[name]?.string ?? "") }
        guard let program = value["program"]?.string, !program.isEmpty, let at = value["at"]?.integer,
            Date.calendarSeconds.contains(at)
        else { return nil }
        func condition(_ condition: ProgramRule.Condition) -> String? { value[condition.rawValue]?.string }
        request = ProgramRequest(
            program: program, person: NamedPerson(username: value["username"]?.string), host: condition(.host),
            path: condition(.path), organization: condition(.organization),
            cluster: condition(.cluster), registry: condition(.registry), directory: condition(.directory)
        ).cleaned(Self.line)
        client = text("client")
        clientID = text("clientId")
        clientSource = text("clientSource")
        account = text("account")
        accountID = text("homeAccountId")
        tenant = text("tenant")
        scopes = (value["scopes"]?.array ?? []).prefix(Self.mostScopes).compactMap(\.string).map(Self.line)
        ruleLine = value["rule"]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
        outcome =
            value["refused"] == nil
            ? .given(source: text("source")) : .refused(code: text("refused"), why: text("why"))
        func count(_ name: String) -> Int? {
            value[name]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
        (fitting, milliseconds) = (count("fitting"), count("milliseconds"))
        self.at = at
    }

    /// The token's target as users name it: a host, a cluster or a registry, else a resource.
    package var target: String {
        if let place = request.registry ?? request.cluster { return place }
        if let host = request.host { return host + (request.organization.map { "/" + $0 } ?? "") }
        let whole = "/.default"
        return scopes.first { $0.hasSuffix(whole) }.map { String($0.dropLast(whole.count)) } ?? ""
    }
}

extension ProgramRequest {
    /// Drops a path's query and fragment: they can hold a secret, and rules do not match them.
    fileprivate func cleaned(_ line: (String) -> String) -> ProgramRequest {
        var request = self
        request.program = line(program)
        request.host = host.map(line)
        request.path = path.map { line(String($0.prefix { $0 != "?" && $0 != "#" })) }
        request.organization = organization.map(line)
        request.cluster = cluster.map { line($0.withoutPerson) }
        request.registry = registry.map(line)
        request.directory = directory.map(line)
        request.home = nil
        request.person = NamedPerson(username: person.name.map(line))
        return request
    }
}

extension String {
    fileprivate var withoutPerson: String {
        let text = prefix { $0 != "?" && $0 != "#" }
        guard let scheme = text.firstRange(of: "://") else { return String(text) }
        let authority = text[scheme.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(text) }
        return String(text[..<scheme.upperBound] + text[authority.index(after: at)...])
    }
}
