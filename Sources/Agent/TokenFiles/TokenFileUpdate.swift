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
        package fileprivate(set) var outcome: TokenFile.Outcome
        /// Why it is not a newer one, though its time has come.
        package let notRenewed: Failure?
        let life: TokenLife
        let provider: String
    }

    package init(_ calls: SilentCalls, _ environment: ProcessEnvironment) {
        self.calls = calls
        self.environment = environment
    }

    /// Brings a file of the list up to date. Refreshes what has lived for most of its life; another process's refresh
    /// does as well. A token that still lives serves until it is over, whatever a refresh ahead of that ends with.
    ///
    /// - Parameter file: as it was read from the list just now.
    /// - Returns: nil where the file was taken off the list meanwhile, and nothing was written.
    /// - Throws: as a silent call does; `storeError` where the file cannot be written, which is left as it was then.
    ///   `notFound` where the account is not signed in any more: the file was removed.
    package func run(_ file: TokenFile, at now: Date = Date()) async throws(Failure) -> Written? {
        let list = TokenFileList(environment)
        let call: TokenCall
        do throws(Failure) {
            call = try await calls.worked(out: file.options, environment)
            guard await !isSignedOut(call) else {
                throw Failure(.notFound, "\(file.account) is not signed in any more for \(call.client.name)")
            }
        } catch {
            // Whoever signs out does not leave a token behind.
            if error.code == .notFound {
                try await BlockingExecutor.run { () throws(Failure) in try list.removeToken(of: file) }
            }
            throw error
        }
        let (secret, token) = try await token(of: file, call, at: now)
        let kept = try await BlockingExecutor.run { () throws(Failure) in
            try list.write(secret, token.outcome, to: file)
        }
        guard let kept else { return nil }
        var written = token
        written.outcome = kept
        return written
    }

    /// Adds a file to the list, and writes it.
    ///
    /// - Parameter replaces: whether a file that is not in the list may be written over.
    /// - Throws: as a silent call does; `usage`, `storeError` where it cannot be added. Whatever fails, neither the
    ///   list nor the file, which may be somebody else's, has changed.
    package func add(_ file: TokenFile, replaces: Bool, at now: Date = Date()) async throws(Failure) -> Written {
        let call = try await calls.worked(out: file.options, environment)
        let (secret, written) = try await token(of: file, call, at: now)
        var file = file
        file.last = written.outcome
        let (list, kept) = (TokenFileList(environment), file)
        try await BlockingExecutor.run { () throws(Failure) in try list.add(kept, secret, replaces: replaces) }
        return written
    }

    private func isSignedOut(_ call: TokenCall) async -> Bool {
        await BlockingExecutor.run { call.isSignedOut }
    }

    private func token(of file: TokenFile, _ call: TokenCall, at now: Date) async throws(Failure)
        -> (Secret, Written)
    {
        let secret: Secret
        let life: TokenLife
        var notRenewed: Failure?
        switch file.kind {
        case .idToken:
            let token = try await call.idToken(calls, renewsAhead: true, at: now)
            (secret, notRenewed) = (token.secret, token.notRenewed)
            life = token.life ?? TokenLife(issued: now, expires: token.expiresOn)
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
        let written = Written(
            outcome: TokenFile.Outcome(at: Date(), expiresOn: life.expires, error: notRenewed?.code.rawValue),
            notRenewed: notRenewed, life: life, provider: call.application.configuration.authority.provider)
        return (secret, written)
    }
}
