package import CommandSupport
package import Identity

/// Git's request to a credential helper, see git-credential(1): lines of `key=value` up to an empty line or the end.
package struct GitCredential: Hashable, Sendable {
    package var scheme: String?
    package var host: String?
    package var path: String?
    package var username: String?
    /// `WWW-Authenticate` fields of the server's last response; git 2.41 and later.
    package var wwwAuthenticate: [String] = []
    /// Git's features beyond a username and password; git 2.46 and later.
    package var capabilities: [String] = []
    /// State that the helper returned with an earlier, not final response.
    package var state: [String] = []
    /// The token that `store` and `erase` report back.
    package var secret: Secret?

    /// Bytes; longer than any provider's usernames.
    private static let longestUsername = 512

    /// Bytes; git's limit for a line.
    package static let longest = 65_535

    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.longest, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(.invalidInput, "not a git credential request")
        }
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map({ String(Substring($0)) }) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "=") else {
                throw Failure(.invalidInput, "malformed line in git's request")
            }
            let value = String(line[line.index(after: equals)...])
            switch line[..<equals] {
            case "protocol": scheme = value
            case "host":
                guard Self.isHost(value) else {
                    throw Failure(.invalidInput, "invalid host in git's request")
                }
                host = value
            case "path": path = value
            case "username":
                guard value.utf8.count <= Self.longestUsername else {
                    throw Failure(.invalidInput, "the username in git's request is too long")
                }
                username = value
            case "password", "credential": secret = Secret(value)
            case "wwwauth[]": wwwAuthenticate.append(value)
            case "capability[]": capabilities.append(value)
            case "state[]": state.append(value)
            // git-credential(1): ignore unknown keys.
            default: break
            }
        }
    }

    /// A host with an optional port; no other part of a URL.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/?#@\\%".utf8.contains($0) }
    }

    /// Git's setting to send the path of a host's repositories, without which no rule's `path` matches.
    package static func pathSetting(at host: String) -> String { "credential.https://\(host).useHttpPath" }

    /// Git's request for a URL, with the path, which git sends if `credential.useHttpPath` is set.
    ///
    /// - Throws: `usage`, also for a remote over SSH.
    package init(url: String) throws(Failure) {
        guard !Self.isSSH(url) else {
            throw Failure(
                .usage, "git uses SSH for this remote and asks no credential helper",
                hint: "use the repository's https URL to sign in with a token")
        }
        do {
            let (address, user) = try WebAddress.splittingUser(from: url)
            scheme = address.scheme
            host = address.hostAndPort
            path = address.pathSegments.isEmpty ? nil : String(address.path.dropFirst())
            // Git decodes it, too.
            username = user.map { PercentEncoding.line($0) ?? $0 }
        } catch { throw Failure(.usage, "\(error)", hint: "use an https URL") }
    }

    /// Whether git connects to a remote by SSH: a URL, or `user@host:path`.
    package static func isSSH(_ remote: String) -> Bool {
        if let end = remote.firstRange(of: "://")?.lowerBound {
            return ["ssh", "git+ssh", "ssh+git"].contains(String(remote[..<end]).asciiLowercased)
        }
        guard let colon = remote.firstIndex(of: ":") else { return false }
        // A colon after a slash belongs to a local path (git-fetch(1), GIT URLS).
        return colon != remote.startIndex && !remote[..<colon].contains("/")
    }

    package func understands(_ capability: String) -> Bool { capabilities.contains(capability) }

    // MARK: Target

    /// - Returns: nil if no token may be sent there: neither https nor http on this machine.
    package func address() -> WebAddress? {
        guard let scheme, let host, scheme == "https" || scheme == "http" else { return nil }
        return try? WebAddress("\(scheme)://\(host)")
    }

    /// Nil for a host other than Azure DevOps. A path with `..` names no organization.
    package var devOps: AzureDevOps? {
        let host = address()?.hostAndPort ?? ""
        let path = path.map { ProgramRequest(program: ProgramName.git.rawValue, path: $0).path ?? "" }
        return AzureDevOps(host: host, path: path, username: path == nil ? username : nil)
    }

    /// Named by the username of git's URL or configuration.
    package var person: NamedPerson { NamedPerson(username: username, organization: devOps?.organization) }

    package func query(_ options: TokenOptions, _ environment: ProcessEnvironment) -> TokenQuery {
        let devOps = devOps
        var query = TokenQuery(
            options,
            ProgramRequest(
                .git, person: person, host: address()?.hostAndPort, path: path, organization: devOps?.organization,
                environment),
            devOps == nil ? .host : .azureDevOps)
        if devOps != nil { query.place.tenant = AzureDevOps.tenant(of: wwwAuthenticate) }
        return query
    }
}
