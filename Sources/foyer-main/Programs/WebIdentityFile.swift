import Agent
import CommandSupport
import FoundationEssentials
import Helpers
import Identity
import Programs
import TokenCache
import TokenCalls

/// The ID token that AWS SDKs exchange for a role's credentials, in a file that exists while one command runs.
struct WebIdentityFile: Sendable {
    /// The values of environment variables, by name.
    let values: [String: String]
    private let folder: TemporaryFolder
    private let path: String
    private let query: TokenQuery
    private let environment: ProcessEnvironment

    /// Between checks; doubled up to the limit while a due token cannot be replaced.
    private static let interval: Duration = .seconds(30)
    private static let longestInterval: Duration = .seconds(900)
    private static let longestRole = 2048

    /// - Throws: the reason for a missing ID token, also if several accounts match; `usage` for an invalid role.
    static func make(_ role: String, _ query: TokenQuery, _ environment: ProcessEnvironment) async throws(Failure)
        -> WebIdentityFile
    {
        guard role.hasPrefix("arn:"), role.utf8.count <= longestRole,
            role.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Failure(
                .usage, "--aws-role must be a role ARN", hint: "write --aws-role arn:aws:iam::123456789012:role/me"
            )
        }
        var query = query
        query.isIDToken = true
        guard let call = try ProgramCall(query, CommandContext(query.options, environment: environment)) else {
            throw Failure(.notFound, "no ID token")
        }
        let settings = try AWSProfileSettings.read(environment)
        let token = try await ProgramSignIn(environment: environment).token(call)
        let folder = try TemporaryFolder("run", environment)
        let path = folder.path + "/web-identity-token"
        let configuration = folder.path + "/aws-config"
        let empty = folder.path + "/aws-credentials"
        let session = environment["AWS_ROLE_SESSION_NAME"] ?? sessionName(token.username)
        do throws(Failure) {
            try TokenFile.write(token.secret, to: path)
            // With the identity, too: a program that names the default profile ignores the variables.
            let file = settings.file([
                ("role_arn", role), ("web_identity_token_file", path), ("role_session_name", sessionName(session)),
            ])
            try TokenFile.write(Secret(file), to: configuration)
            try TokenFile.write(Secret(""), to: empty)
        } catch {
            folder.remove()
            throw error
        }
        let values = [
            "AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ROLE_ARN": role, "AWS_ROLE_SESSION_NAME": session,
            "AWS_CONFIG_FILE": configuration, "AWS_SHARED_CREDENTIALS_FILE": empty, "BOTO_CONFIG": empty,
            "AWS_EC2_METADATA_DISABLED": "true",
        ]
        return WebIdentityFile(values: values, folder: folder, path: path, query: query, environment: environment)
    }

    /// Appears in AWS's logs; limited to the characters that AWS accepts.
    private static func sessionName(_ username: String) -> String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=,.@-".utf8)
        let name = String(
            decoding: username.utf8.map { allowed.contains($0) ? $0 : UInt8(ascii: "-") }.prefix(64), as: UTF8.self)
        return name.utf8.count < 2 ? "foyer" : name
    }

    /// Runs until cancelled: SDKs read the file whenever their credentials expire. On failure the old token stays.
    func keepFresh() async {
        let calls = SilentCalls()
        var pause = Self.interval
        while (try? await Task.sleep(for: pause, clock: .continuous)) != nil {
            let (query, environment) = (query, environment)
            let call = await BlockingExecutor.run { () -> ProgramCall? in
                guard let context = try? CommandContext(query.options, environment: environment) else { return nil }
                return try? ProgramCall(query, context)
            }
            pause = min(pause * 2, Self.longestInterval)
            guard let call, call.refusal == nil, let token = try? await call.call.idToken(calls, renewsAhead: true)
            else { continue }
            try? TokenFile.write(token.secret, to: path)
            if !token.isDue(at: Date()) { pause = Self.interval }
        }
        await calls.close()
    }

    func remove() { folder.remove() }
}
