import ArgumentParser
import CommandSupport
import Glibc
import Identity
import StrictJSON

struct UseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Show or set the sign-in that is used if none is named",
        discussion: """
            Without arguments: the current one, and where it is set. With an account or a client: prints what sets it \
            in the shell, for eval "$(foyer use ACCOUNT)"; --here, --folder and --everywhere write the settings. \
            Nothing else changes it, and options, rules for a program, and the programs' own requests take precedence.
            """)
    @Flag(help: "For this shell: print the lines to evaluate; the default")
    var shell = false
    @Flag(help: "For this folder and those in it, by a rule in the settings")
    var here = false
    @Option(help: ArgumentHelp("For another folder", valueName: "folder"), completion: .directory)
    var folder: String?
    @Flag(help: "For everything, at the top of the settings")
    var everywhere = false
    @Flag(help: "Undo it in that place")
    var unset = false
    @Option(help: ArgumentHelp("Syntax of the lines", valueName: "shell"))
    var syntax: ShellSyntax?
    @OptionGroup var tenancy: TenantOption
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(help: "Username, home account id, or an unambiguous prefix", completion: .known(.accounts))
    var account: String?

    func validate() throws {
        let places = [shell, here, folder != nil, everywhere].count { $0 }
        if places > 1 { throw ValidationError("--shell, --here, --folder and --everywhere exclude each other") }
        if syntax != nil, places > 0, !shell { throw ValidationError("--syntax is for --shell") }
        if account != nil, shared.account != nil {
            throw ValidationError("the account cannot be given twice")
        }
        let namesSignIn = name != nil || shared.client != nil || shared.clientID != nil
        if unset, namesSignIn { throw ValidationError("--unset takes no account and no client") }
        if !unset, !namesSignIn, places > 0 || tenancy.tenant != nil {
            throw ValidationError("name an account or --client")
        }
    }

    private var name: String? { account ?? shared.account }

    func run() async throws {
        var options = try shared.adding(tenancy).checked()
        options.account = nil
        let session = try CommandContext(options)
        let isForShell = !here && folder == nil && !everywhere
        if unset {
            if isForShell { return session.show(try ShellVariables(nil, session), syntax ?? .sh) }
            return session.show(
                try everywhere ? session.setUsual(nil) : session.setUsual(nil, inFolder: try place(session)))
        }
        guard name != nil || options.client != nil || options.clientID != nil else {
            return try UsualSignInReport(session).show(session.output)
        }
        let signIn = try ChosenSignIn(name, session)
        if isForShell { return session.show(try ShellVariables(signIn, session), syntax ?? .sh) }
        session.show(
            try everywhere ? session.setUsual(signIn) : session.setUsual(signIn, inFolder: try place(session)))
    }

    /// The folder as the kernel names it, which is what a rule is compared with.
    private func place(_ session: CommandContext) throws(Failure) -> String {
        let path = folder.map(session.environment.expand) ?? session.environment.workingFolder
        guard let path, let real = realpath(path, nil) else {
            throw Failure(.usage, "no such folder: \(folder ?? "the working folder")", hint: "name one with --folder")
        }
        defer { free(real) }
        var status = stat()
        guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.usage, "not a folder: \(path)", hint: "name one with --folder")
        }
        return String(cString: real)
    }
}

extension ShellSyntax: ExpressibleByArgument {}
