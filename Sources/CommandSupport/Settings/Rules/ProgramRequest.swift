import Identity

// Rules/ chooses the client and account for another program. It must not read a store or prompt the user.

/// The properties of a program's token request that rules match. All are untrusted input.
package struct ProgramRequest: Hashable, Sendable {
    /// Such as `git`, or the command under `foyer run`.
    package var program: String
    /// Lower case, with the port if given.
    package var host: String?
    /// Without the leading slash.
    package var path: String?
    package var organization: String?
    package var cluster: String?
    package var registry: String?
    /// The program's working directory, absolute.
    package var directory: String?
    /// The value of `~` in a rule's directory.
    package var home: String?
    /// Named by the program; no rule matches it, but the token must be theirs.
    package var person: NamedPerson

    package init(
        program: String, person: NamedPerson = .nobody, host: String? = nil, path: String? = nil,
        organization: String? = nil, cluster: String? = nil,
        registry: String? = nil, directory: String? = nil,
        home: String? = nil
    ) {
        self.home = home
        self.program = program
        self.person = person
        self.host = host.map { $0.asciiLowercased }
        self.path = path.flatMap(Self.plain)
        self.organization = organization
        self.cluster = cluster
        self.registry = registry.map { $0.asciiLowercased }
        self.directory = directory
    }

    /// A request of a known program, from its working directory.
    ///
    /// - Parameter person: named by the program's protocol in this request.
    package init(
        _ program: ProgramName, person: NamedPerson, host: String? = nil, path: String? = nil,
        organization: String? = nil,
        cluster: String? = nil, registry: String? = nil, _ environment: ProcessEnvironment
    ) {
        self.init(
            program: program.rawValue, person: person, host: host, path: path, organization: organization,
            cluster: cluster,
            registry: registry, directory: environment.workingFolder, home: environment.home)
    }

    /// - Returns: nil for a path with `.` or `..`, which the server would resolve to another path than the rule's.
    private static func plain(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard !parts.contains("."), !parts.contains(".."), !path.asciiLowercased.contains("%2e") else { return nil }
        return String(path.drop { $0 == "/" })
    }

    /// Where the token goes, for a question or a refusal: the host, registry or cluster, else the program.
    package var placeName: String { host ?? registry ?? cluster ?? program }

    /// For a sentence: `git at dev.azure.com/contoso`, `git at git.example as ada@contoso.example`.
    package var words: String { placeWords + (person.name.map { " as \($0)" } ?? "") }

    private var placeWords: String {
        let place = registry ?? host.map { $0 + (organization.map { "/" + $0 } ?? path.map { "/" + $0 } ?? "") }
        if let place { return "\(program) at \(place)" }
        return cluster.map { "\(program) for \($0)" } ?? program
    }
}
