import Foundation
import Glibc
import Identity
import SilentFirst
import Testing
import Waiting

@testable import Sandbox

/// The example program of the documentation, as a person would run it.
@Suite(.serialized) struct ExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func `The example is shorter than 60 lines and needs the modules of the library alone`() throws {
        let source = try String(
            contentsOf: Self.root.appending(path: "Sources/silent-first-example/Example.swift"), encoding: .utf8)
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count < 60)
        #expect(
            source.split(separator: "\n").filter { $0.hasPrefix("import ") } == [
                "import Glibc", "import Identity", "import SilentFirst",
            ])
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `The example signs in once, and the next run prints the same token without a person`() async throws {
        try await World.open { world in
            let words = [
                world.provider.authority("organizations"), Directory.tryOut, world.store, "User.Read",
            ]
            let first = try await Run(words) { line in
                guard let code = line.split(separator: " ").last, line.hasPrefix("open ") else { return }
                try? world.provider.approve(userCode: String(code), username: "ada@contoso.example")
            }
            #expect(first.status == 0)
            #expect(first.errors.contains("ada@contoso.example, from interactive"))
            let second = try await Run(words) { _ in }
            #expect(second.status == 0)
            #expect(second.errors.contains("ada@contoso.example, from cache"))
            #expect(second.output == first.output && first.output.count > 100)
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `The example ends with the failure's words and hint`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.denied, endpoint: "token:device_code"))
            let run = try await Run([
                world.provider.authority("organizations"), Directory.tryOut, world.store, "User.Read",
            ]) { _ in }
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("declined"))
            #expect(try await Run(["http://login.example.org", "x", world.store, "y"]) { _ in }.status == 64)
        }
    }
}

/// One run of the example, to its end.
private struct Run: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// - Parameter onLine: told each line of standard error as it comes.
    init(_ words: [String], _ onLine: @escaping @Sendable (String) -> Void) async throws {
        let program = Self.product(beside: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        // Waiting blocks, and has a thread of its own so that it starves no test.
        let run: Run? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Run(program: program, words, onLine)) }
        }
        self = try #require(run)
    }

    /// No end of the pipe is handed on but the one to write to, so that the end of the child is the end of the pipe.
    private init?(program: String, _ words: [String], _ onLine: (String) -> Void) {
        let path = "/tmp/foyer-example-\(UUID().uuidString)"
        defer { unlink(path) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        var child = pid_t()
        let arguments = ([program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let problem = posix_spawn(&child, program, &actions, nil, arguments, environ)
        close(ends[1])
        defer { close(ends[0]) }
        guard problem == 0 else { return nil }
        var errors: [UInt8] = []
        var told = 0
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &chunk, chunk.count)
            guard count > 0 else { break }
            errors += chunk[..<count]
            while let end = errors[told...].firstIndex(of: UInt8(ascii: "\n")) {
                onLine(String(decoding: errors[told..<end], as: UTF8.self))
                told = end + 1
            }
        }
        var code: Int32 = 0
        guard waitpid(child, &code, 0) == child else { return nil }
        // The low seven bits are a signal's number, as WIFEXITED has it.
        status = code & 0x7F == 0 ? (code >> 8) & 0xFF : -1
        self.errors = String(decoding: errors, as: UTF8.self)
        output = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// `swift test` runs either the test bundle itself or a helper of the toolchain that loads it.
    private static func product(beside executable: String) -> String {
        func beside(_ file: String) -> String {
            String(file[...(file.lastIndex(of: "/") ?? file.startIndex)]) + "silent-first-example"
        }
        if access(beside(executable), X_OK) == 0 { return beside(executable) }
        return beside(CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0])
    }
}
