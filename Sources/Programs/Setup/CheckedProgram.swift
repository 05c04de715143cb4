import CommandSupport
import Identity
import TokenCache

/// A program that reports its own configuration, or changes a copy of it.
struct CheckedProgram {
    let name: String
    private let path: String
    private let env: String

    private static let limit: Duration = .seconds(10)
    private static let mostOutput = 1_048_576

    init?(_ name: String, _ environment: ProcessEnvironment) {
        guard let path = environment.program(name), let env = environment.program("env") else { return nil }
        self.name = name
        self.path = path
        self.env = env
    }

    /// The exit status and standard output; nil if it could not be started or timed out.
    ///
    /// The variable makes foyer exit immediately if the program calls it as a helper, so no prompt appears and the
    /// programs do not call each other endlessly.
    func run(_ arguments: [String]) -> (status: Int32, output: [UInt8])? {
        let words = ["\(Product.setupVariable)=1", path] + arguments
        let end = ChildProcess.run(env, words, input: [], mostOutput: Self.mostOutput, limit: Self.limit)
        guard case .exited(let status, let output) = end else { return nil }
        return (status, output)
    }

    func output(_ arguments: [String], _ doing: String) throws(Failure) -> [UInt8] {
        guard let end = run(arguments) else {
            throw Failure(.configuration, "\(name) could not \(doing) within 10 seconds", hint: "run \(name) yourself")
        }
        guard end.status == 0 else {
            throw Failure(
                .configuration, "\(name) could not \(doing) (exit status \(end.status))",
                hint: "check that \(name) reads its configuration without errors")
        }
        return end.output
    }
}
