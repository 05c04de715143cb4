import CommandSupport
import Identity
import TokenCache

/// A program that is asked about its own configuration, or changes a copy of it.
struct CheckedProgram {
    let name: String
    private let path: String
    private let env: String

    private static let limit: Duration = .seconds(10)
    private static let mostOutput = 1_048_576

    /// - Returns: nil when it is not on `PATH`.
    init?(_ name: String, _ environment: ProcessEnvironment) {
        guard let path = environment.program(name), let env = environment.program("env") else { return nil }
        self.name = name
        self.path = path
        self.env = env
    }

    /// What it says on standard output, with its exit status; nil when it was not started, or did not end in time.
    ///
    /// A helper that it calls all the same ends at once, so that nobody is asked to sign in, and no two programs call
    /// each other without end.
    func run(_ arguments: [String]) -> (status: Int32, output: [UInt8])? {
        let words = ["\(Product.setupVariable)=1", path] + arguments
        let end = ChildProcess.run(env, words, input: [], mostOutput: Self.mostOutput, limit: Self.limit)
        guard case .exited(let status, let output) = end else { return nil }
        return (status, output)
    }

    /// The same where it has to succeed.
    ///
    /// - Parameter doing: such as "change its configuration".
    func output(_ arguments: [String], _ doing: String) throws(Failure) -> [UInt8] {
        guard let end = run(arguments) else {
            throw Failure(.configuration, "\(name) did not \(doing) within 10 seconds", hint: "run \(name) by hand")
        }
        guard end.status == 0 else {
            throw Failure(
                .configuration, "\(name) did not \(doing) (exit status \(end.status))",
                hint: "see whether \(name) reads its configuration without errors")
        }
        return end.output
    }
}
