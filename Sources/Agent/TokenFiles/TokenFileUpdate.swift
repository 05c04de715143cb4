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
        (self.calls, self.environment) = (calls, environment)
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
        do throws(Failure) {
            for _ in 0..<Self.mostTries {
                let call = try await calls.worked(out: file.options, environment)
                guard await !BlockingExecutor.run({ call.isSignedOut }) else { throw Self.signedOut(file, call) }
                let (secret, token) = try await token(of: file, call, at: now)
                let writing = try await BlockingExecutor.run { () throws(Failure) in
                    try list.write(secret, token.outcome, to: file) { () throws(Failure) in
                        try isStored(secret, for: file)
                    }
                }
                switch writing {
                case .replaced: continue
                case .unlisted: return nil
                case .done(let kept):
                    var written = token
                    written.outcome = kept
                    return written
                }
            }
            throw Self.replaced(file)
        } catch {
            // Whoever signs out does not leave a token behind.
            if error.code == .notFound {
                try await BlockingExecutor.run { () throws(Failure) in _ = try list.removeToken(of: file) }
            }
            throw error
        }
    }

    /// Adds a file to the list, and writes it.
    ///
    /// - Parameter replaces: whether a file that is not in the list may be written over.
    /// - Throws: as a silent call does; `usage`, `storeError` where it cannot be added. Whatever fails, neither the
    ///   list nor the file, which may be somebody else's, has changed.
    package func add(_ file: TokenFile, replaces: Bool, at now: Date = Date()) async throws(Failure) -> Written {
        for _ in 0..<Self.mostTries {
            let call = try await calls.worked(out: file.options, environment)
            let (secret, written) = try await token(of: file, call, at: now)
            var file = file
            file.last = written.outcome
            let (list, kept) = (TokenFileList(environment), file)
            let isAdded = try await BlockingExecutor.run { () throws(Failure) in
                try list.add(kept, secret, replaces: replaces) { () throws(Failure) in
                    try isStored(secret, for: kept)
                }
            }
            if isAdded { return written }
        }
        throw Self.replaced(file)
    }

    /// How often a token is fetched that another takes the place of before it is written.
    private static let mostTries = 3

    private static func replaced(_ file: TokenFile) -> Failure {
        Failure(.unavailable, "tokens of \(file.account) are renewed by others all the time", hint: "try again later")
    }

    private static func signedOut(_ file: TokenFile, _ call: TokenCall) -> Failure {
        Failure(.notFound, "\(file.account) is not signed in any more for \(call.client.name)")
    }

    /// Whether the store has the token, as it is now.
    ///
    /// - Throws: `notFound` where the account was signed out.
    private func isStored(_ token: Secret, for file: TokenFile) throws(Failure) -> Bool {
        let call = try TokenCall(file.options, environment: environment) { _ in }
        if call.isSignedOut { throw Self.signedOut(file, call) }
        return call.holds(token)
    }

    /// Removes the tokens of an account from all files that are for somebody who is not signed in any more. The files
    /// stay in the list: the next sign-in brings others.
    ///
    /// - Parameter account: its home account id.
    /// - Returns: how many files were removed.
    /// - Throws: why a file may still hold a token: the list cannot be read, it cannot be told whether the account of a
    ///   file is signed in, or a file cannot be removed. All others were looked at.
    package static func removeTokens(ofSignedOut account: String, _ environment: ProcessEnvironment)
        async throws(Failure) -> Int
    {
        try await BlockingExecutor.run { () throws(Failure) in
            let list = TokenFileList(environment)
            var (count, trouble) = (0, nil as Failure?)
            for file in try list.files() where file.account == account {
                do throws(Failure) {
                    if try isSignedOut(file, environment), try list.removeToken(of: file) { count += 1 }
                } catch { trouble = error }
            }
            if let trouble { throw trouble }
            return count
        }
    }

    private static func isSignedOut(_ file: TokenFile, _ environment: ProcessEnvironment) throws(Failure) -> Bool {
        do throws(Failure) {
            return try TokenCall(file.options, environment: environment) { _ in }.isSignedOut
        } catch {
            guard error.code == .notFound else { throw error }
            return true
        }
    }

    /// The files of an account, and of a client or of all.
    ///
    /// - Throws: `storeError` for a list that cannot be read.
    package static func files(of account: String, clientID: String?, _ environment: ProcessEnvironment)
        async throws(Failure) -> [TokenFile]
    {
        try await BlockingExecutor.run { () throws(Failure) in
            try TokenFileList(environment).files().filter { file in
                guard file.account == account, let clientID else { return file.account == account }
                return (try? TokenCall(file.options, environment: environment) { _ in })?.client.clientID == clientID
            }
        }
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
