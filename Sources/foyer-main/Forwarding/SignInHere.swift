import Agent
import CommandSupport
import Glibc
import TokenCache

/// Runs `foyer sign-in` in a process of its own for another host's request, so the agent itself never prompts.
enum SignInHere {
    private static let limit: Duration = .seconds(300)
    private static let mostOutput = 1_048_576

    static func open(_ wanted: ForwardedSignIn) async -> ForwardedSignIn.End {
        let environment = ProcessEnvironment()
        let opens = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
        guard opens.contains(where: { wanted.desktop[$0] != nil || environment[$0] != nil }),
            let program = ProgramFile.path, let env = environment.program("env")
        else { return .noBrowser }
        var words = wanted.desktop.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        words += [program, "sign-in", "--json", "--via", "browser", "--client", wanted.client]
        if let hint = wanted.loginHint { words += ["--login-hint=" + hint] }
        words += wanted.scopes.map { "--scope=" + $0 }
        let isWanted = AtomicFlag(true)
        let arguments = words
        return await withTaskCancellationHandler {
            await BlockingExecutor.run {
                let end = ChildProcess.run(
                    env, arguments, input: [], mostOutput: mostOutput, limit: limit, while: { isWanted.value })
                if case .exited(0, _) = end { return .signedIn }
                return .failed
            }
        } onCancel: {
            isWanted.value = false
        }
    }
}
