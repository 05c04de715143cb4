import Agent
import ArgumentParser
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache
import TokenCalls

extension TokenFileCommand {
    private static func unknown(_ path: String) -> Failure {
        Failure(.notFound, "not a foyer token file: \(path)", hint: "list them with \"foyer token-file list\"")
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List token files and when they expire")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let files = try TokenFileList(ProcessEnvironment()).files()
            output.result(
                JSONValue(("tokenFiles", .array(files.map(\.listing)))),
                or: files.isEmpty ? ["no token files"] : files.map(\.line))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Delete a token file and stop updating it")
        @OptionGroup(title: "Common options") var shared: SharedOptions
        @Argument(help: ArgumentHelp("The file", valueName: "path"), completion: .known(.tokenFiles)) var path: String

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let place = try environment.tokenFile(path)
            guard try TokenFileList(environment).remove(place) != nil else {
                throw TokenFileCommand.unknown(place)
            }
            output.result(["removed": place.json], or: ["\(place) removed"])
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Update files whose tokens expire soon")
        @OptionGroup(title: "Common options") var shared: SharedOptions
        @Argument(help: ArgumentHelp("Only these files", valueName: "path"), completion: .known(.tokenFiles))
        var paths: [String] = []

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let list = TokenFileList(environment)
            let places = try paths.map(environment.tokenFile)
            let all = try list.files()
            if let unknown = places.first(where: { place in !all.contains { $0.path == place } }) {
                throw TokenFileCommand.unknown(unknown)
            }
            var first: Failure?
            var done: [JSONValue] = []
            for file in all where places.isEmpty || places.contains(file.path) {
                var file = file
                do throws(Failure) {
                    let written = try await SilentCalls.during { [file] calls throws(Failure) in
                        try await TokenFileUpdate(calls, environment).run(file)
                    }
                    guard let written else {
                        let gone = Failure(.notFound, "removed in the meantime")
                        output.warn("\(file.path): \(gone.message)")
                        // Without paths, only the remaining files were requested.
                        if !places.isEmpty { first = first ?? gone }
                        continue
                    }
                    file.last = written.outcome
                    if let failure = written.notRenewed {
                        output.warn("\(file.path): \(failure.message)")
                        // An unreachable provider is retried next time; other errors need the user.
                        if failure.code != .unavailable { first = first ?? failure }
                    }
                } catch {
                    // A file that needs sign-in does not stop the others.
                    output.warn("\(file.path): \(error.message)")
                    first = first ?? error
                    let outcome = TokenFile.Outcome(at: .now, error: error.code.rawValue)
                    list.note(outcome, of: file)
                    file.last = outcome
                }
                done.append(file.listing)
                if !output.json { output.lines([file.line]) }
            }
            if output.json { output.result(JSONValue(("tokenFiles", .array(done)))) }
            if let first { throw first }
        }
    }
}

extension TokenFile {
    var listing: JSONValue {
        JSONValue(
            ("path", path.json), ("kind", kind.rawValue.json), ("client", (options.client ?? options.clientID).json),
            ("homeAccountId", account.json), ("tenantId", options.tenant.json),
            ("scopes", .array(options.scopes.map(\.json))),
            ("updated", (last?.at.rfc3339).json), ("expiresOn", (last?.expiresOn?.announced).json),
            ("error", (last?.error).json))
    }

    fileprivate var line: String {
        let words = [kind == .idToken ? "ID token" : "access token", options.client ?? options.clientID ?? ""]
        let state =
            last?.error.map { "failed: \($0)" }
            ?? last?.expiresOn.map { TimeSpan.end($0) { "until \($0.rfc3339)" } }
        return "\(path)  \(words.joined(separator: " of "))  \(state ?? "not written yet")"
    }
}
