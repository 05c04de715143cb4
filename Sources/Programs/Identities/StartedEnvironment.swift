package import CommandSupport
package import StrictJSON

/// The environment of a program that foyer starts: what ``IdentitySource``'s table says of each variable and file, for
/// the identities that foyer gives it. It contains no value of the shell's.
package struct StartedEnvironment: Sendable {
    package enum Deed: String, Hashable, Sendable { case set, removed, replaced, kept }

    /// A variable or a file.
    package struct Entry: Sendable {
        package let name: String
        package let source: IdentitySource
        package let deed: Deed
        /// In plain text.
        package let reason: String
        /// Whether the shell has set the variable, or the file exists.
        package let isPresent: Bool
    }

    package let entries: [Entry]
    private let signIn: [String: String?]

    /// - Parameters:
    ///   - given: what foyer gives the program.
    ///   - options: those of the command; the shell's usual sign-in gives way to them.
    ///   - environment: that of the shell.
    ///   - names: the names of all its variables, with those that are empty.
    ///   - exists: whether there is a file at an absolute path.
    package init(
        _ given: Set<GivenIdentity>, _ options: TokenOptions, _ environment: ProcessEnvironment, names: [String],
        exists: (String) -> Bool = { _ in false }
    ) {
        let signIn = Self.usualSignIn(options, environment)
        let given = signIn.isEmpty ? given : given.union([.option])
        let present = Set(names)
        self.signIn = signIn
        entries = IdentitySource.all.flatMap { source in
            source.names.flatMap { name -> [Entry] in
                Self.matches(name, names).map { found in
                    let isFile = IdentitySource.isFile(name)
                    let (deed, reason) = Self.deed(of: source, found, given, signIn, environment)
                    return Entry(
                        name: found, source: source, deed: deed, reason: reason.replacing("`", with: ""),
                        isPresent: isFile ? exists(environment.expand(name)) : present.contains(found))
                }
            }
        }
    }

    /// The names of the shell's variables that a pattern stands for; the pattern itself if there are none.
    private static func matches(_ name: String, _ names: [String]) -> [String] {
        guard name.hasSuffix("*") else { return [name] }
        let found = names.filter { $0.hasPrefix(name.dropLast()) }.sorted()
        return found.isEmpty ? [name] : found
    }

    private static func deed(
        of source: IdentitySource, _ name: String, _ given: Set<GivenIdentity>, _ signIn: [String: String?],
        _ environment: ProcessEnvironment
    ) -> (Deed, String) {
        guard let identity = source.identity else { return (.kept, source.reason) }
        guard given.contains(identity) else {
            guard identity != .option else { return (.kept, "no option names another") }
            let condition = identity.option.map { " without \($0)" } ?? ""
            return (.kept, "foyer gives \(source.program.rawValue) no identity\(condition)")
        }
        switch source.deed {
        case .set: return (.set, source.reason)
        case .setIfUnset where environment[name] == nil: return (.set, source.reason)
        case .setIfUnset, .kept: return (.kept, source.reason)
        case .removed: return (.removed, source.reason)
        case .replaced: return (.replaced, source.reason)
        case .setByOption:
            guard let value = signIn[name] else { return (.kept, source.reason) }
            return (value == nil ? .removed : .set, source.reason)
        }
    }

    /// The changes to the shell's usual sign-in; empty if it has none, or no option names another. An account and a
    /// tenant belong to their client.
    private static func usualSignIn(_ options: TokenOptions, _ environment: ProcessEnvironment) -> [String: String?] {
        let client = options.client ?? options.clientID
        let isNamed = client != nil || options.account != nil || options.tenant != nil
        let names = ["FOYER_CLIENT", "FOYER_ACCOUNT", "FOYER_TENANT"]
        guard isNamed, names.contains(where: { environment[$0] != nil }) else { return [:] }
        var changed: [String: String?] = [:]
        if let client, client != environment["FOYER_CLIENT"] {
            changed = ["FOYER_CLIENT": client, "FOYER_ACCOUNT": nil, "FOYER_TENANT": nil]
        }
        if let account = options.account { changed["FOYER_ACCOUNT"] = account }
        if let tenant = options.tenant { changed["FOYER_TENANT"] = tenant }
        return changed
    }

    /// The variables that the program gets.
    ///
    /// - Parameter values: foyer's own, by name; a variable without one stays as it is in the shell.
    package func set(_ values: [String: String]) -> [(name: String, value: String)] {
        entries.filter { $0.deed == .set }.compactMap { entry in
            (values[entry.name] ?? signIn[entry.name] ?? nil).map { (entry.name, $0) }
        }
    }

    /// The variables that the program does not get.
    package var removed: [String] { entries.filter { $0.deed == .removed && !$0.name.hasSuffix("*") }.map(\.name) }

    // MARK: Explanation

    /// A line for what is set, and for what the shell has of the rest.
    ///
    /// - Parameter all: also for what is removed though the shell does not have it.
    package func lines(all: Bool) -> [String] {
        entries.filter { $0.deed == .set || $0.isPresent || all && $0.deed == .removed }.map { entry in
            "\(entry.name): \(entry.deed.rawValue)\(entry.byVariable), \(entry.reason)"
        }
    }

    package var json: JSONValue {
        JSONValue(
            (
                "variables",
                .array(
                    entries.map { entry in
                        JSONValue(
                            ("name", entry.name.json), ("program", entry.source.program.rawValue.json),
                            ("deed", entry.deed.rawValue.json), ("why", entry.reason.json),
                            ("isPresent", .bool(entry.isPresent)), ("source", (entry.source.reference?.url).json),
                            ("sourceRead", (entry.source.reference?.date).json))
                    })
            ))
    }
}

extension StartedEnvironment.Entry {
    fileprivate var byVariable: String {
        if deed == .replaced, case .replaced(let name) = source.deed { " by \(name)" } else { "" }
    }
}
