// foyer, the command that scripts run in loops: a small program without shared libraries. It answers what needs no
// network and no screen, such as a token from the cache, and hands everything else to foyer-main. It must not decide
// anything itself: its output comes from code that foyer-main also uses.

import CommandSupport
import Console
import Glibc
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
        let arguments = ProcessGuard.arguments
        // Under another name it is a credential helper, which only foyer-main implements.
        let isHelper = arguments.first?.utf8.split(separator: UInt8(ascii: "/")).last.map {
            !$0.elementsEqual("foyer".utf8)
        }
        WholeProgram.run(arguments, isHelper == true ? ExecHandover() : answer(Array(arguments.dropFirst())))
    }

    /// Exits after printing a result.
    ///
    /// - Returns: the note for foyer-main, which takes over and reports all failures.
    private static func answer(_ arguments: [String]) -> ExecHandover {
        if arguments == ["--version"] {
            Output(arguments: arguments).text("foyer \(Product.version)\n")
            exit(0)
        }
        guard let options = CommandWords.token(arguments) else { return ExecHandover() }
        do throws(Failure) {
            ProcessGuard.ignoreBrokenPipes()
            // An encrypted store is read only while the kernel has its key.
            let call = try TokenCall(options, keys: .held) { aside throws(Failure) in
                if case .reading(let store) = aside, store.kind != .keyring { return }
                throw Failure(.cancelled, "for the whole program")
            }
            // Only foyer-main can validate them.
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
}
