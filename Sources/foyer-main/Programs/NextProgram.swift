import ArgumentParser
import CommandSupport
import Console
import Glibc
import Programs

/// The program of a name that comes after the links to this one on `PATH`.
enum NextProgram {
    /// Becomes it, with the same streams and environment.
    ///
    /// - Throws: 127, as a shell ends, where there is none.
    static func become(_ name: String, _ words: [String]) throws -> Never {
        guard let path = path(of: name, on: ProcessEnvironment()["PATH"] ?? "") else {
            Output.write("foyer: there is no other \(name) on PATH\n", to: STDERR_FILENO)
            throw ExitCode(127)
        }
        let trouble = ProcessGuard.become([name] + words, program: path)
        Output.write("foyer: \(SafeText.line(path)): \(trouble)\n", to: STDERR_FILENO)
        throw ExitCode(126)
    }

    static func isThere(_ name: String) -> Bool { path(of: name, on: ProcessEnvironment()["PATH"] ?? "") != nil }

    static func path(of name: String, on path: String) -> String? {
        path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first {
            access($0, X_OK) == 0 && !HelperLink.leadsToFoyer($0)
        }
    }
}
