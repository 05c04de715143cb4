import Agent
import CommandSupport
import FoundationEssentials
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
            let program = ProgramFile.path, let starter = starter(environment)
        else { return .noBrowser }
        var words = starter.words
        words += wanted.desktop.sorted { $0.key < $1.key }.map { starter.variable + "\($0.key)=\($0.value)" }
        words += [program, "sign-in", "--json", "--via", "browser", "--client", wanted.client]
        if let hint = wanted.loginHint { words += ["--login-hint=" + hint] }
        words += wanted.scopes.map { "--scope=" + $0 }
        let isWanted = AtomicFlag(true)
        let arguments = words
        return await withTaskCancellationHandler {
            await BlockingExecutor.run {
                let end = ChildProcess.run(
                    starter.program, arguments, input: [], mostOutput: mostOutput, limit: limit,
                    while: { isWanted.value })
                if case .exited(0, _) = end { return .signedIn }
                return .failed
            }
        } onCancel: {
            isWanted.value = false
        }
    }

    private struct Starter {
        let program: String
        let words: [String]
        /// The text before each variable.
        let variable: String
    }

    /// A browser would inherit the limits of the agent's unit, with which it does not run, so the service manager
    /// starts the sign-in where it can.
    private static func starter(_ environment: ProcessEnvironment) -> Starter? {
        if isLimited(), let folder = environment["XDG_RUNTIME_DIR"], access(folder + "/systemd/private", F_OK) == 0,
            let manager = environment.program("systemd-run")
        {
            let words = [
                "--user", "--quiet", "--collect", "--wait", "--pipe", "--service-type=exec",
                "--property=RuntimeMaxSec=\(limit.components.seconds)",
            ]
            return Starter(program: manager, words: words, variable: "--setenv=")
        }
        return environment.program("env").map { Starter(program: $0, words: [], variable: "") }
    }

    /// Whether this process may gain no privileges, as in the agent's unit: its children inherit that and the rest.
    private static func isLimited() -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return false }
        return status.split(separator: "\n").contains("NoNewPrivs:\t1")
    }
}
