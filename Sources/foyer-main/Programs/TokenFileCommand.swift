import Agent
import ArgumentParser
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import TokenCache
import TokenCalls

struct TokenFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-file", abstract: "Keep a current token in a file",
        discussion: """
            For programs that read a token file, such as AWS_WEB_IDENTITY_TOKEN_FILE. The agent keeps the files \
            current while it runs; without one, run "foyer token-file update" from a timer.
            """, subcommands: [Add.self, List.self, Remove.self, Update.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Write a token to a file and keep it current",
            discussion:
                "An ID token by default. The file contains only the token and is readable only by you.")
        @OptionGroup(title: "Common options") var shared: SharedOptions
        @OptionGroup var tenancy: TenantOption
        @Flag(name: .customLong("access-token"), help: "Write an access token for --scope")
        var isAccessToken = false
        @Flag(help: "Overwrite an existing file")
        var replace = false
        @Argument(help: ArgumentHelp("The file", valueName: "path"), completion: .file()) var path: String

        func run() async throws {
            var options = try shared.adding(tenancy).checked()
            let environment = ProcessEnvironment()
            let list = TokenFileList(environment)
            let place = try environment.tokenFile(path)
            // Checked before anything is sent, and again when it is written.
            try list.refuseForeign(place, replaces: replace)
            // The agent has another folder and environment: the options must mean the same there.
            options.store = options.store ?? environment["FOYER_STORE"]
            options.config = options.config ?? environment["FOYER_CONFIG"]
            options = try options.withAbsolutePaths(environment)
            options.authority = options.authority ?? environment["FOYER_AUTHORITY"]
            options.silent = true
            let call = try TokenCall(options, environment: environment, isIDToken: !isAccessToken)
            // The file outlives the session, and an answer is for the session alone.
            if case .allowed(_, by: .answer) = call.session {
                try call.context.world.requirePerson(to: "have a file with your token, unless a rule has agents = true")
            }
            guard try call.context.storeSpec(call.client).path != place else {
                throw Failure(.usage, "\(place) is the token store")
            }
            (options.client, options.clientID) = (call.pinned.client, call.pinned.clientID)
            options.authority = options.authority ?? call.pinned.authority
            // The session is not the agent's, which keeps the file current.
            options.agentSession = call.request.agentSession
            // Fails if no account matches, or several.
            guard let account = call.meantAccount else { throw try await failure(of: call) }
            let file = TokenFile(
                path: place, kind: isAccessToken ? .accessToken : .idToken, options, account: account.homeAccountID)
            let written = try await SilentCalls.during { calls throws(Failure) in
                try await TokenFileUpdate(calls, environment).add(file, replaces: replace)
            }
            if let failure = written.notRenewed { call.context.output.warn("\(place): \(failure.message)") }
            var kept = file
            kept.last = written.outcome
            let isAgentThere = TokenFileCommand.startAgent(call.context)
            let done = "\(place) is written and kept current; to undo: foyer token-file remove \(place.shellWord)"
            let end = written.outcome.expiresOn.map { ", " + TimeSpan.end($0) { "until \($0.rfc3339)" } } ?? ""
            call.context.output.result(kept.listing, or: ["\(place): \(account.label)\(end)"], done: done)
            if !isAgentThere {
                call.context.output.warn(
                    "no agent is running to keep it current; start one: foyer agent start")
            }
        }

        private func failure(of call: TokenCall) async throws(Failure) -> Failure {
            do throws(Failure) {
                _ = try await SilentCalls.during { calls throws(Failure) in try await calls.acquire(call) }
            } catch { return error }
            return Failure(.ambiguous, "no account given", hint: "add --account")
        }
    }

    /// - Returns: whether an agent is running, or was started because the settings ask for it.
    static func startAgent(_ session: CommandContext) -> Bool {
        do throws(AgentConnection.Trouble) {
            _ = try AgentConnection(AgentPlace(session.environment))
            return true
        } catch {
            guard error == .notRunning, session.settings.startsAgent else { return error != .notRunning }
            return (try? AgentStart(environment: session.environment).run()) != nil
        }
    }
}

extension SilentCalls {
    /// Runs the body, then closes the connections.
    static func during<Value: Sendable>(
        _ body: (SilentCalls) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let calls = SilentCalls()
        let result = await Result.of { () throws(Failure) in try await body(calls) }
        await calls.close()
        return try result.get()
    }
}
