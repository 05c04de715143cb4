package import CommandSupport
package import FoundationEssentials
package import Identity
import SilentFirst
import TokenCache

/// Brings a file with a token up to date: silently, and in one step for whoever reads it.
package struct TokenFileUpdate: Sendable {
    private let calls: SilentCalls
    private let environment: ProcessEnvironment

    /// What is in a file now.
    package struct Written: Sendable {
        package let expiresOn: Date
        /// Why it is not a newer one, though its time has come.
        package let notRenewed: Failure?
        let life: TokenLife
        let provider: String

        package var outcome: TokenFile.Outcome {
            TokenFile.Outcome(at: Date(), expiresOn: expiresOn, error: notRenewed?.code.rawValue)
        }
    }

    package init(_ calls: SilentCalls, _ environment: ProcessEnvironment) {
        self.calls = calls
        self.environment = environment
    }

    /// Brings a file of the list up to date. Refreshes what has lived for most of its life; another process's refresh
    /// does as well. A token that still lives serves until it is over, whatever a refresh ahead of that ends with.
    ///
    /// - Throws: as a silent call does; `storeError` where the file cannot be written, which is left as it was then.
    ///   `notFound` where the account is not signed in any more: the file was removed.
    package func run(_ file: TokenFile, at now: Date = Date()) async throws(Failure) -> Written {
        let call: TokenCall
        do throws(Failure) {
            call = try await calls.worked(out: file.options, environment)
            guard await !isSignedOut(call) else {
                throw Failure(.notFound, "\(file.account) is not signed in any more for \(call.client.name)")
            }
        } catch {
            // Whoever signs out does not leave a token behind.
            if error.code == .notFound { try Self.remove(file.path) }
            throw error
        }
        return try await write(file, call, at: now)
    }

    /// Writes a file that is not in the list yet, and may be somebody else's: whatever fails, it is left as it was.
    ///
    /// - Throws: as a silent call does; `storeError` where the file cannot be written.
    package func add(_ file: TokenFile, at now: Date = Date()) async throws(Failure) -> Written {
        try await write(file, try await calls.worked(out: file.options, environment), at: now)
    }

    private func isSignedOut(_ call: TokenCall) async -> Bool {
        await BlockingExecutor.run { call.isSignedOut }
    }

    private func write(_ file: TokenFile, _ call: TokenCall, at now: Date) async throws(Failure) -> Written {
        let secret: Secret
        let life: TokenLife
        var notRenewed: Failure?
        switch file.kind {
        case .idToken:
            let token = try await call.idToken(calls, renewsAhead: true, at: now)
            (secret, life, notRenewed) = (token.secret, token.life, token.notRenewed)
        case .accessToken:
            var given = try await calls.acquire(call)
            if given.token.source == .cache, given.life?.isDue(at: now) == true {
                do throws(Failure) { given = try await calls.acquire(call, forceRefresh: true) } catch {
                    notRenewed = error
                }
            }
            guard given.token.tokenType.asciiLowercased == "bearer" else {
                throw Failure(
                    .usage, "tokens of \(call.client.name) are bound to a key, and worth nothing in a file",
                    hint: "get each with \"foyer token --pop\"")
            }
            secret = given.token.accessToken
            life = given.life ?? TokenLife(issued: now, expires: given.token.expiresOn)
        }
        try await BlockingExecutor.run { () throws(Failure) in try Self.write(secret, to: file.path) }
        return Written(
            expiresOn: life.expires, notRenewed: notRenewed, life: life,
            provider: call.application.configuration.authority.provider)
    }

    /// Writes the token alone, for its owner to read, in one step.
    ///
    /// - Throws: `storeError`; then the file is as it was.
    package static func write(_ secret: Secret, to path: String) throws(Failure) {
        let bytes = Array(secret.reveal().utf8)
        let file = StateFile(path: path, maximumBytes: longest)
        do {
            // Readers that watch it hear of changes only.
            if let old = try? file.read(), old == bytes { return }
            try file.put(bytes)
        } catch { throw Failure(error) }
    }

    /// - Throws: `storeError`.
    package static func remove(_ path: String) throws(Failure) {
        do { try StateFile(path: path, maximumBytes: longest).remove() } catch { throw Failure(error) }
    }

    /// Bytes.
    package static let longest = 1_048_576
}
