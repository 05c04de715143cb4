import ArgumentParser
import CommandSupport
import Helpers
import Programs

/// A command that scripts run in loops, made of its words without the argument parser.
protocol DirectCommand: AsyncParsableCommand {
    static var accepted: CommandWords.Accepted { get }

    /// - Returns: nil if the argument parser has to say what is wrong.
    init?(_ words: CommandWords)
}

/// A helper with the command line of another program: every word is for that program, even if foyer has such an option.
protocol PassthroughHelper: AsyncParsableCommand {
    var words: [String] { get set }
}

enum DirectCommands {
    static let all: [(path: [String], command: any DirectCommand.Type)] = [
        (["accounts"], AccountsCommand.self), (["tokens"], TokensCommand.self), (["why"], WhyCommand.self),
        (["run"], RunCommand.self), (["id-token"], IDTokenCommand.self),
        (["agent", "status"], AgentCommand.Status.self), (["helper", "git"], GitHelper.self),
        (["helper", "docker"], DockerHelper.self), (["helper", "kubectl"], KubectlHelper.self),
        (["helper", "google"], GoogleHelper.self),
    ]
    private static let passthrough: [String: any PassthroughHelper.Type] = [
        "az": AzHelper.self, "azd": AzdHelper.self, "kubelogin": KubeloginHelper.self,
        "oidc-login": OIDCLoginHelper.self, "keyring": KeyringHelper.self,
    ]

    /// - Parameter isLink: whether the program was started by a helper's name; else its `--help` is foyer's.
    /// - Returns: nil if the argument parser is needed.
    static func command(_ arguments: [String], isLink: Bool) -> (any AsyncParsableCommand)? {
        if arguments.first == "helper", arguments.count >= 2, let helper = passthrough[arguments[1]] {
            let words = Array(arguments.dropFirst(2))
            return isLink || !["--help", "-h"].contains(words.first) ? passing(words, to: helper) : nil
        }
        guard let (path, command) = all.first(where: { arguments.starts(with: $0.path) }) else { return nil }
        return made(command, arguments.dropFirst(path.count))
    }

    private static func passing<Helper: PassthroughHelper>(_ words: [String], to _: Helper.Type) -> Helper {
        var helper = Helper()
        helper.words = words
        return helper
    }

    private static func made<Command: DirectCommand>(_: Command.Type, _ words: ArraySlice<String>) -> Command? {
        CommandWords(words, Command.accepted).flatMap { Command($0) }
    }
}

extension AccountsCommand: DirectCommand {
    static let accepted = CommandWords.Accepted(
        flags: ["needs-sign-in", "all-stores", "wide"], values: ["limit", "tenant", "state"])

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        allStores = AllStoresOption(isOn: words.has("all-stores"))
        wide = WideOption(isOn: words.has("wide"))
        needsSignIn = words.has("needs-sign-in")
        guard let selection = SelectionOptions(words) else { return nil }
        self.selection = selection
        limit = words["limit"].flatMap { Int($0) }
        guard (limit == nil) == (words["limit"] == nil), (try? validate()) != nil else { return nil }
    }
}

extension TokensCommand: DirectCommand {
    static let accepted = CommandWords.Accepted(
        flags: ["reveal", "all-stores", "wide"], values: ["tenant", "state"])

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        allStores = AllStoresOption(isOn: words.has("all-stores"))
        wide = WideOption(isOn: words.has("wide"))
        reveal = words.has("reveal")
        guard let selection = SelectionOptions(words) else { return nil }
        self.selection = selection
    }
}

extension WhyCommand: DirectCommand {
    static let accepted = CommandWords.Accepted(flags: ["recent", "wide"], arguments: 0...2)

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        wide = WideOption(isOn: words.has("wide"))
        recent = words.has("recent")
        program = words.arguments.first
        target = words.arguments.dropFirst().first
    }
}

extension RunCommand: DirectCommand {
    static let accepted = CommandWords.Accepted(
        hasTenant: true, flags: ["azd", "explain"], values: ["aws-role"], hasTerminator: true)

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        tenancy = TenantOption(options: words.options)
        azd = words.has("azd")
        explain = words.has("explain")
        awsRole = words["aws-role"]
        command = words.arguments
    }
}

extension IDTokenCommand: DirectCommand {
    static let accepted = CommandWords.Accepted.idToken

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        tenancy = TenantOption(options: words.options)
        forceRefresh = words.has(CommandWords.Accepted.forceRefresh)
    }
}

extension AgentCommand.Status: DirectCommand {
    static let accepted = CommandWords.Accepted()

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
    }
}

extension GitHelper: DirectCommand {
    static let accepted = GitCredential.accepted

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        tenancy = TenantOption(options: words.options)
        verb = words.arguments[0]
    }
}

extension DockerHelper: DirectCommand {
    static let accepted = CommandWords.Accepted(arguments: 1...1)

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        verb = words.arguments[0]
    }
}

extension KubectlHelper: DirectCommand {
    static let accepted = HelperRequest.kubectlWords

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        tenancy = TenantOption(options: words.options)
        isIDToken = words.has(HelperRequest.idToken)
    }
}

extension GoogleHelper: DirectCommand {
    static let accepted = CommandWords.Accepted(hasTenant: true)

    init?(_ words: CommandWords) {
        self.init()
        shared = SharedOptions(options: words.options)
        tenancy = TenantOption(options: words.options)
    }
}
