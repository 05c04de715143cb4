/// The words of a command that scripts run in loops, read by the names in ``RequestField/all`` instead of by the
/// argument parser, whose reflection takes longer than a token from the cache.
package struct CommandWords {
    package struct Accepted: Sendable {
        fileprivate let groups: [RequestField.Group]
        fileprivate let hasTenant: Bool
        fileprivate let flags: [String]
        fileprivate let values: [String]
        fileprivate let arguments: ClosedRange<Int>
        fileprivate let hasTerminator: Bool

        /// - Parameters:
        ///  - hasTenant: whether `--tenant` is also accepted.
        ///  - flags: the command's own flags, without dashes.
        ///  - values: the command's own options with a value, without dashes.
        ///  - arguments: how many arguments without a name.
        ///  - hasTerminator: whether all arguments follow `--`, in any number.
        package init(
            _ groups: [RequestField.Group] = [.common], hasTenant: Bool = false, flags: [String] = [],
            values: [String] = [], arguments: ClosedRange<Int> = 0...0, hasTerminator: Bool = false
        ) {
            (self.groups, self.hasTenant, self.flags, self.values) = (groups, hasTenant, flags, values)
            (self.arguments, self.hasTerminator) = (arguments, hasTerminator)
        }

        /// Of `foyer id-token`.
        package static let idToken = Accepted(hasTenant: true, flags: [forceRefresh])
        package static let forceRefresh = "force-refresh"

        fileprivate func field(named name: some StringProtocol) -> RequestField? {
            RequestField.all.first { field in
                field.option.map { $0 == name } ?? false
                    && (groups.contains(field.group) || hasTenant && name == "tenant")
            }
        }
    }

    package private(set) var options = TokenOptions()
    package private(set) var arguments: [String] = []
    private var flags: [String] = []
    private var values: [(name: String, value: String)] = []

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The last value counts.
    package subscript(name: String) -> String? { values.last { $0.name == name }?.value }

    package func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }

    /// Parses `--name value`, `--name=value`, flags and arguments.
    ///
    /// - Returns: nil if the argument parser is needed: for help, an error, a value that looks like an option, and
    ///   what is not accepted.
    package init?(_ words: ArraySlice<String>, _ accepted: Accepted) {
        var rest = words
        while let word = rest.popFirst() {
            if accepted.hasTerminator, word == "--" {
                arguments = Array(rest)
                return
            }
            guard word.hasPrefix("--") else {
                guard !word.isEmpty, !word.hasPrefix("-"), arguments.count < accepted.arguments.upperBound else {
                    return nil
                }
                arguments.append(word)
                continue
            }
            let option = OptionWord(word)
            let name = option.name.dropFirst(2)
            let value = option.value ?? rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
            let isFlag: Bool
            if let own = accepted.flags.first(where: { $0 == name }) {
                flags.append(own)
                isFlag = true
            } else if let own = accepted.values.first(where: { $0 == name }), let value {
                values.append((own, value))
                isFlag = false
            } else if let field = accepted.field(named: name), let flag = options.set(field.member, value) {
                isFlag = flag
            } else {
                return nil
            }
            if isFlag {
                guard option.value == nil else { return nil }
            } else if option.value == nil {
                rest.removeFirst()
            }
        }
        guard accepted.arguments.contains(arguments.count), !accepted.hasTerminator else { return nil }
    }

    /// `foyer token …`.
    package static func token(_ arguments: [String]) -> TokenOptions? {
        guard arguments.first == "token" else { return nil }
        return CommandWords(arguments.dropFirst(), Accepted([.common, .token], hasTenant: true))?.options
    }

    /// `foyer id-token …`.
    package static func idToken(_ arguments: [String]) -> CommandWords? {
        arguments.first == "id-token" ? CommandWords(arguments.dropFirst(), .idToken) : nil
    }

    /// `foyer` without a command.
    package static func interface(_ arguments: [String]) -> TokenOptions? {
        CommandWords(arguments[...], Accepted([.common, .interface]))?.options
    }
}

extension TokenOptions {
    /// - Returns: whether it is a flag, which takes no value; nil if the argument parser has to read the value.
    fileprivate mutating func set(_ member: RequestField.Member, _ value: String?) -> Bool? {
        if case .flag(let flag) = member {
            self[flag] = true
            return true
        }
        guard let value else { return nil }
        switch member {
        case .text(let text): self[text] = value
        case .texts(let texts): self[texts].append(value)
        case .seconds(let seconds):
            guard let number = Double(value) else { return nil }
            self[seconds] = number
        case .number(let count):
            guard let number = Int(value) else { return nil }
            self[count] = number
        case .flag, .method, .prompt, .responseMode: return nil
        }
        return false
    }
}
