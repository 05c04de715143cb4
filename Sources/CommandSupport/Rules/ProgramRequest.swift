import Identity

// Rules/ decides which account of which client another program is served with. It must not read a store or ask anybody.

/// What a program wants a token for, as far as rules look at it. All of it comes from outside, and names nothing yet.
package struct ProgramRequest: Hashable, Sendable {
    /// Such as `git`, or the name of the command that `foyer run` has started.
    package var program: String
    /// Lower case, with the port where one is written.
    package var host: String?
    /// Without the slash at the beginning.
    package var path: String?
    /// Of Azure DevOps.
    package var organization: String?
    package var cluster: String?
    package var registry: String?
    /// Absolute: the working folder of whoever asks.
    package var directory: String?
    /// What `~` stands for in the folder of a rule.
    package var home: String?

    package init(
        program: String, host: String? = nil, path: String? = nil, organization: String? = nil, cluster: String? = nil,
        registry: String? = nil, directory: String? = nil,
        home: String? = nil
    ) {
        self.home = home
        self.program = program
        self.host = host.map { $0.asciiLowercased }
        self.path = path.flatMap(Self.plain)
        self.organization = organization
        self.cluster = cluster
        self.registry = registry.map { $0.asciiLowercased }
        self.directory = directory
    }

    /// A request of a program of foyer's own list, from where it was started.
    package init(
        _ program: ProgramName, host: String? = nil, path: String? = nil, organization: String? = nil,
        cluster: String? = nil, registry: String? = nil, _ environment: ProcessEnvironment
    ) {
        self.init(
            program: program.rawValue, host: host, path: path, organization: organization, cluster: cluster,
            registry: registry, directory: environment.workingFolder, home: environment.home)
    }

    /// - Returns: nil for a path that leads up again: the server would go elsewhere than a rule says.
    private static func plain(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard !parts.contains("."), !parts.contains(".."), !path.asciiLowercased.contains("%2e") else { return nil }
        return String(path.drop { $0 == "/" })
    }

    /// For a sentence: `git at dev.azure.com/contoso`.
    package var words: String {
        let place = registry ?? host.map { $0 + (organization.map { "/" + $0 } ?? path.map { "/" + $0 } ?? "") }
        if let place { return "\(program) at \(place)" }
        return cluster.map { "\(program) for \($0)" } ?? program
    }
}
