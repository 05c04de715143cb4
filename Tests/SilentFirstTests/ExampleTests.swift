import Foundation
import Identity
import SilentFirst
import Synchronization
import Testing

@testable import Sandbox

/// The example program of the documentation, as a person would run it.
@Suite(.serialized) struct ExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func `The example is shorter than 60 lines and needs the public library alone`() throws {
        let source = try String(contentsOf: Self.root.appending(path: "Sources/silent-first-example/Example.swift"), encoding: .utf8)
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count < 60)
        #expect(source.split(separator: "\n").filter { $0.hasPrefix("import ") } == ["import Glibc", "import SilentFirst"])
    }

    @Test(.timeLimit(.minutes(5))) func `The example signs in once, and the next run prints the same token without a person`() async throws
    {
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

    @Test(.timeLimit(.minutes(5))) func `The example ends with the failure's words and hint`() async throws {
        try await World.open { world in
            world.provider.bend(Fault(.denied, endpoint: "token:device_code"))
            let run = try await Run([world.provider.authority("organizations"), Directory.tryOut, world.store, "User.Read"]) { _ in }
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("declined"))
            #expect(try await Run(["http://login.example.org", "x", world.store, "y"]) { _ in }.status == 64)
        }
    }
}

/// One run of the example, to its end.
private struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// - Parameter onLine: told each line of standard error as it comes.
    init(_ words: [String], _ onLine: @escaping @Sendable (String) -> Void) async throws {
        let process = Process()
        let itself = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = Self.product(beside: itself)
        process.arguments = words
        let (out, err) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (out, err)
        let output = Self.bytes(of: out)
        let errors = Self.bytes(of: err)
        let ended = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ended.continuation.yield($0.terminationStatus)
            ended.continuation.finish()
        }
        try process.run()
        var text = ""
        var line = ""
        for await chunk in errors {
            text += chunk
            for character in chunk {
                if character == "\n" {
                    onLine(line)
                    line = ""
                } else {
                    line.append(character)
                }
            }
        }
        self.errors = text
        self.output = await output.reduce(into: "") { $0 += $1 }
        status = await ended.stream.reduce(-1) { $1 }
    }

    /// `swift test` runs either the test bundle itself or a helper of the toolchain that loads it.
    private static func product(beside executable: String) -> URL {
        let name = "silent-first-example"
        let near = URL(filePath: executable).deletingLastPathComponent().appending(path: name)
        if FileManager.default.isExecutableFile(atPath: near.path) { return near }
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: name)
    }

    private static func bytes(of pipe: Pipe) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                continuation.finish()
                return
            }
            continuation.yield(String(decoding: data, as: UTF8.self))
        }
        return stream
    }
}
