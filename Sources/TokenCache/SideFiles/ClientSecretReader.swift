import Glibc
package import Identity
import SystemPackage

/// Reads a client's secret from where the configuration says it is.
package struct ClientSecretReader: Sendable {
    private let store: ClientSecretStore
    private let owner: ClientSecretOwner

    /// - Parameter cache: the client's token store, for kept secrets.
    package init(_ configuration: ClientConfiguration, _ cache: TokenCache) {
        (store, owner) = (ClientSecretStore(cache), configuration.secretOwner)
    }

    /// The secret. Blocks: a program can take up to 30 seconds.
    ///
    /// - Throws: `configuration` if there is no usable secret, `storeError` if the kept ones cannot be read.
    package func secret(_ source: ClientSecret.Source, isWanted: () -> Bool = { true }) throws(Failure) -> Secret {
        switch source {
        case .published(let secret): return secret
        case .file(let path): return try file(path)
        case .command(let words): return try output(words, isWanted)
        case .kept:
            let kept: Secret?
            do throws(StoreError) { kept = try store.secret(of: owner) } catch { throw Failure(error) }
            guard let kept else {
                throw Failure(
                    .configuration, "no client secret is kept for \(owner.clientID) at \(owner.issuer)",
                    hint: .keepClientSecret)
            }
            return kept
        }
    }

    private func file(_ path: String) throws(Failure) -> Secret {
        let what = "client secret file"
        guard path.hasPrefix("/") else { throw Failure(.configuration, "the path of the \(what) is not absolute") }
        let opened: Int32?
        do throws(StoreError) { opened = try TrustedFile.open(path) } catch {
            let reason = TrustedFile.reason(error, what: what)
            throw Failure(.configuration, reason.message, hint: .text(reason.hint))
        }
        guard let file = opened else {
            throw Failure(.configuration, "\(what) not found: \(path)", hint: "create it with mode 0600")
        }
        defer { close(file) }
        var info = stat()
        guard uninterrupted({ fstat(file, &info) }) == 0 else {
            throw Failure(.configuration, "\(path): \(Errno.last)", hint: nil)
        }
        let mode = UInt32(info.st_mode) & 0o777
        guard mode & 0o077 == 0 else {
            throw Failure(
                .configuration, "\(path) can be read by others (mode 0\(String(mode, radix: 8)))",
                hint: "the \(what) must be yours alone: chmod 600 \(path.shellWord)")
        }
        var bytes = [UInt8](repeating: 0, count: ClientSecret.longest + 3)
        let count = uninterrupted { read(file, &bytes, bytes.count) }
        guard count >= 0 else { throw Failure(.configuration, "\(path): \(Errno.last)", hint: nil) }
        guard let secret = ClientSecret.secret(bytes.prefix(count)) else {
            throw Failure(
                .configuration, "\(path) does not contain a client secret",
                hint: "the \(what) must contain the secret alone, on one line")
        }
        return secret
    }

    private static let limit: Duration = .seconds(30)
    private static let mostOutput = 65_536

    private func output(_ words: [String], _ isWanted: () -> Bool) throws(Failure) -> Secret {
        let problem: String
        guard let program = words.first else { throw Failure(.configuration, "the client secret command is empty") }
        switch ChildProcess.run(
            program, Array(words.dropFirst()), input: [], mostOutput: Self.mostOutput, limit: Self.limit,
            while: isWanted)
        {
        case .exited(status: 0, let output):
            if let secret = ClientSecret.secret(output.prefix { $0 != 0x0A }) { return secret }
            problem = "its first line is not a client secret"
        case .exited(let status, _): problem = "it exited with status \(status)"
        case .timedOut:
            guard isWanted() else { throw Failure(.cancelled, "cancelled") }
            problem = "it did not finish within \(Self.limit.components.seconds) s, or printed too much"
        case .notStarted(let code): problem = code.description
        }
        throw Failure(
            .configuration, "the client secret command \(OAuthError.clean(program, limit: 200)) failed: \(problem)",
            hint: "run it yourself: it must print the secret on its first line")
    }
}
