package import CommandSupport
package import FoundationEssentials
package import Identity
import SilentCore
import SilentFirst
import TokenCache
package import TokenCalls

/// Updates token files silently and atomically.
package struct TokenFileUpdate: Sendable {
    private let calls: SilentCalls
    private let environment: ProcessEnvironment

    package struct Written: Sendable {
        package fileprivate(set) var outcome: TokenFile.Outcome
        package let notRenewed: Failure?
        let life: TokenLifetime
        let provider: String
    }

    package init(_ calls: SilentCalls, _ environment: ProcessEnvironment) {
        // The command that added the file has checked the session.
        (self.calls, self.environment) = (calls, environment.ofPerson)
    }

    /// Updates a listed file if its token is due, reusing another process's refresh. If an early refresh fails, a valid
    /// token stays in use until it expires.
    ///
    /// - Parameter file: the entry, just read from the list.
    /// - Returns: nil if the entry was removed in the meantime; then nothing is written.
    /// - Throws: errors of a silent call; `storeError` if the file cannot be written and is unchanged; `notFound` if
    ///   the account is no longer signed in, which removes the file.
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
            // Signing out must not leave a token in the file.
            if error.code == .notFound {
                try await BlockingExecutor.run { () throws(Failure) in _ = try list.removeToken(of: file) }
            }
            throw error
        }
    }

    /// Adds a file to the list and writes it.
    ///
    /// - Parameter replaces: whether a file outside the list may be overwritten.
    /// - Throws: errors of a silent call; `usage` or `storeError` if it cannot be added. On any error, the list and the
    ///   file are unchanged: the file may belong to another program.
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

    /// Attempts to write a token that another process keeps replacing.
    private static let mostTries = 3

    private static func replaced(_ file: TokenFile) -> Failure {
        Failure(.unavailable, "other programs keep refreshing the tokens of \(file.account)", hint: "try again later")
    }

    private static func signedOut(_ file: TokenFile, _ call: TokenCall) -> Failure {
        Failure(.notFound, "\(file.account) is no longer signed in for \(call.client.name)")
    }

    /// Whether the store currently has the token.
    ///
    /// - Throws: `notFound` if the account was signed out.
    private func isStored(_ token: Secret, for file: TokenFile) throws(Failure) -> Bool {
        let call = try TokenCall(file.options, environment: environment) { _ in }
        if call.isSignedOut { throw Self.signedOut(file, call) }
        return call.holds(token)
    }

    /// Removes an account's tokens from its files if it is signed out. The files stay in the list until the next
    /// sign-in.
    ///
    /// - Parameter account: its home account ID; nil for all accounts, as a sign-out that was killed can have left a
    ///   file.
    /// - Returns: the number of removed files.
    /// - Throws: the reason a file may still contain a token: the list is unreadable, the account's state is unknown,
    ///   or a file cannot be removed. All other files were still checked.
    package static func removeTokens(ofSignedOut account: String?, _ environment: ProcessEnvironment)
        async throws(Failure) -> Int
    {
        try await BlockingExecutor.run { () throws(Failure) in
            let list = TokenFileList(environment)
            var (count, trouble) = (0, nil as Failure?)
            for file in try list.files() where account.map(file.isOf) ?? true {
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
            return try TokenCall(file.options, environment: environment.ofPerson) { _ in }.isSignedOut
        } catch {
            guard error.code == .notFound else { throw error }
            return true
        }
    }

    /// An account's files, for one client or for all. Another provider's account may have the same ID and client ID.
    ///
    /// - Throws: `storeError` if the list is unreadable.
    package static func files(of account: AccountID, clientID: String?, _ environment: ProcessEnvironment)
        async throws(Failure) -> [TokenFile]
    {
        try await BlockingExecutor.run { () throws(Failure) in
            try TokenFileList(environment).files().filter { file in
                guard file.isOf(account.homeAccountID) else { return false }
                let environment = environment.ofPerson
                guard let call = try? TokenCall(file.options, environment: environment, aside: { _ in }) else {
                    return clientID == nil
                }
                let isOfClient = clientID.map { ClientID.isSame($0, call.client.clientID, issuer: account.issuer) }
                return isOfClient ?? true && call.meantAccount.map { $0.id.isSamePerson(as: account) } ?? true
            }
        }
    }

    private func token(of file: TokenFile, _ call: TokenCall, at now: Date) async throws(Failure)
        -> (Secret, Written)
    {
        let secret: Secret
        let life: TokenLifetime
        var notRenewed: Failure?
        switch file.kind {
        case .idToken:
            let token = try await call.idToken(calls, renewsAhead: true, at: now)
            (secret, notRenewed) = (token.secret, token.notRenewed)
            life = token.life ?? TokenLifetime(issued: now, expires: token.expiresOn)
        case .accessToken:
            var given = try await calls.acquire(call)
            if given.token.source == .cache, given.life?.isDue(at: now) == true {
                do throws(Failure) { given = try await calls.acquire(call, forceRefresh: true) } catch {
                    notRenewed = error
                }
            }
            guard given.token.tokenType.asciiLowercased == "bearer" else {
                throw Failure(
                    .usage, "tokens of \(call.client.name) are key-bound and useless in a file",
                    hint: "get each with \"foyer token --pop\"")
            }
            secret = given.token.accessToken
            life = given.life ?? TokenLifetime(issued: now, expires: given.token.expiresOn)
        }
        let written = Written(
            outcome: TokenFile.Outcome(at: Date(), expiresOn: life.expires, error: notRenewed?.code.rawValue),
            notRenewed: notRenewed, life: life, provider: call.cached.configuration.authority.provider)
        return (secret, written)
    }
}
