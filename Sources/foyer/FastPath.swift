// foyer, the command that scripts run in loops: a small program without shared libraries. It answers what needs no
// network and no screen, such as a token from the cache, and hands everything else to foyer-main. It must not decide
// anything itself: its output comes from code that foyer-main also uses.

import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Helpers
import Identity
import TokenCache

@main
enum FastPath {
    static func main() {
        ProcessGuard.denyDumps()
        ProcessGuard.restoreEnvironment()
        do throws(Failure) { try SystemRequirements.check() } catch {
            Output(arguments: ProcessGuard.arguments).fail(error)
        }
        WholeProgram.run(ProcessGuard.arguments, answer(HelperName.resolved(ProcessGuard.arguments)))
    }

    /// Exits after printing a result.
    ///
    /// - Returns: the note for foyer-main, which takes over and reports all failures.
    private static func answer(_ arguments: [String]) -> ExecHandover {
        if arguments == ["--version"] {
            Output(arguments: arguments).text("foyer \(Product.version)\n")
            exit(0)
        }
        ProcessGuard.ignoreBrokenPipes()
        if let words = CommandWords.idToken(arguments) { return answerIDToken(words) }
        guard let options = CommandWords.token(arguments) else { return answerHelper(arguments) }
        do throws(Failure) {
            // An encrypted store is read only while the kernel has its key.
            let call = try TokenCall(options, keys: .held, aside: TokenCall.readingOnly)
            guard call.context.settings.keys == .none else { return ExecHandover() }
            if options.dryRun {
                guard call.isDecisionGood else { return ExecHandover() }
                try call.showDecision()
            } else if let token = try call.cachedToken() {
                guard token.warning == nil else { return ExecHandover() }
                try call.show(token)
            } else {
                let agent = call.answerOfAgent()
                if let answer = agent.answer {
                    do throws(Failure) { try call.show(answer) } catch { call.context.output.fail(error) }
                    exit(0)
                }
                var renewal = try call.tokenRenewedByAnother()
                renewal.note.hasAskedAgent = agent.isAnyThere
                guard let token = renewal.token, token.warning == nil else { return renewal.note }
                try call.show(token)
            }
            // The system frees everything at exit, which is faster than releasing the parts of the call.
            withExtendedLifetime(call) { exit(0) }
        } catch { return ExecHandover() }
    }

    private static func answerIDToken(_ words: CommandWords) -> ExecHandover {
        do throws(Failure) {
            guard !words.has(CommandWords.Accepted.forceRefresh) else { return ExecHandover() }
            var options = words.options
            options.silent = true
            let began = ContinuousClock.now
            let call = try TokenCall(options, keys: .held, isIDToken: true, aside: TokenCall.readingOnly)
            guard call.context.settings.keys == .none, let token = call.storedIDToken(at: Date()) else {
                return ExecHandover()
            }
            call.note(.success(token), for: ProgramRequest(program: ProgramName.idToken.rawValue), began: began)
            try call.show(idToken: token)
            withExtendedLifetime(call) { exit(0) }
        } catch { return ExecHandover() }
    }

    /// Puts back the bytes that a helper reads from standard input, for foyer-main.
    private static func answerHelper(_ arguments: [String]) -> ExecHandover {
        let environment = ProcessEnvironment()
        guard environment[Product.setupVariable] == nil else { return ExecHandover() }
        var read: [UInt8]?
        do throws(Failure) {
            let request = try HelperName.request(arguments, environment) { limit in
                let bytes = HelperInput.read(limit: limit)
                read = bytes
                return bytes
            }
            if let answer = try request?.cachedAnswer() {
                Output.write(answer, to: STDOUT_FILENO)
                exit(0)
            }
        } catch {
            // foyer-main reports it.
        }
        do throws(Failure) { if let read { try HelperInput.putBack(read) } } catch {
            Output(arguments: arguments).fail(error)
        }
        return ExecHandover()
    }
}
