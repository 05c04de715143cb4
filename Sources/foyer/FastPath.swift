// foyer, the command that scripts run in loops: a small program without shared libraries. It answers what needs no
// network and no screen, which is a token from the cache, and hands everything else to foyer-main, the whole program.
// It must not decide anything by itself: what it prints comes from the code that foyer-main uses, too.

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
        do throws(Failure) { try Surroundings.check() } catch { Output(arguments: ProcessGuard.arguments).fail(error) }
        let arguments = ProcessGuard.arguments
        // Under another name it is a helper of another program, which is the whole program's.
        let isHelper = arguments.first?.utf8.split(separator: UInt8(ascii: "/")).last.map {
            !$0.elementsEqual("foyer".utf8)
        }
        WholeProgram.run(arguments, isHelper == true ? HandOverNote() : answer(Array(arguments.dropFirst())))
    }

    /// Ends with the answer.
    ///
    /// - Returns: what the whole program is told when it has to look, failures included, which it tells.
    private static func answer(_ arguments: [String]) -> HandOverNote {
        if arguments == ["--version"] {
            Output(arguments: arguments).text("foyer \(Product.version)\n")
            exit(0)
        }
        guard let options = FastPathArguments.token(arguments) else { return HandOverNote() }
        do throws(Failure) {
            ProcessGuard.ignoreBrokenPipes()
            let call = try TokenCall(options) { aside throws(Failure) in
                if case .reading(let store) = aside, store.kind == .file { return }
                throw Failure(.cancelled, "for the whole program")
            }
            if options.dryRun {
                guard call.isDecisionGood else { return HandOverNote() }
                try call.showDecision()
            } else if let token = try call.cachedToken() {
                guard token.warning == nil else { return HandOverNote() }
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
            // What the call holds is not taken down one by one: the system takes all of it at once.
            withExtendedLifetime(call) { exit(0) }
        } catch { return HandOverNote() }
    }
}
