import ArgumentParser
import CommandSupport
import Console
import Glibc
import Programs

/// The program of a name that comes after the links to this one on `PATH`.
enum NextProgram {
    /// - Throws: 127 if there is none, as in a shell; 126 if it cannot be run, or calls this program again.
    static func become(_ name: String, _ words: [String]) throws -> Never {
        guard let path = path(of: name) else {
            Output.write("foyer: no other \(name) found on PATH\n", to: STDERR_FILENO)
            throw ExitCode(127)
        }
        guard !isEndless else {
            Output.write(
                """
                foyer: \(SafeText.line(path)) leads back to foyer in a loop
                hint: have it call the real \(name) by its full path, or put that before it on PATH

                """, to: STDERR_FILENO)
            throw ExitCode(126)
        }
        setenv(nesting, String(depth + 1), 1)
        let trouble = ProcessGuard.become([name] + words, program: path)
        Output.write("foyer: \(SafeText.line(path)): \(trouble)\n", to: STDERR_FILENO)
        throw ExitCode(126)
    }

    static func isThere(_ name: String) -> Bool { path(of: name) != nil && !isEndless }

    /// All of `PATH`, without a length limit: a later entry would be another program.
    private static func path(of name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first {
            ProgramFile.isExecutable($0) && !HelperLink.leadsToFoyer($0)
        }
    }

    /// Whether the nesting suggests an endless loop. A program may call itself several times.
    private static var isEndless: Bool { depth >= 8 }

    private static var depth: Int { getenv(nesting).flatMap { Int(String(cString: $0)) } ?? 0 }

    private static let nesting = "FOYER_NESTING"
}
