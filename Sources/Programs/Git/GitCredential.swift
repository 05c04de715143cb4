package import CommandSupport
package import Identity

/// What git says to a credential helper, see git-credential(1): lines of `key=value` up to an empty one or the end.
package struct GitCredential: Hashable, Sendable {
    package var scheme: String?
    /// With the port where there is one.
    package var host: String?
    package var path: String?
    package var username: String?
    /// `WWW-Authenticate` fields of the server's last answer; git 2.41 and later.
    package var wwwAuthenticate: [String] = []
    /// What this git understands beyond a user and a password; git 2.46 and later.
    package var capabilities: [String] = []
    /// What the helper has said to itself by an answer that was not the last one.
    package var state: [String] = []
    /// The token that an answer had, in what git tells about it afterwards.
    package var secret: Secret?

    /// Bytes; git's own limit for a line.
    package static let longest = 65_535

    /// - Throws: `invalidInput` for what git would not send.
    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.longest, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(.invalidInput, "this is no request of git's credential protocol")
        }
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map({ String(Substring($0)) }) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "=") else {
                throw Failure(.invalidInput, "a line of git's request is no key=value")
            }
            let value = String(line[line.index(after: equals)...])
            switch line[..<equals] {
            case "protocol": scheme = value
            case "host":
                guard Self.isHost(value) else {
                    throw Failure(.invalidInput, "the host of git's request is no host and port")
                }
                host = value
            case "path": path = value
            case "username": username = value
            case "password", "credential": secret = Secret(value)
            case "wwwauth[]": wwwAuthenticate.append(value)
            case "capability[]": capabilities.append(value)
            case "state[]": state.append(value)
            // A key that is not known is to be ignored.
            default: break
            }
        }
    }

    /// A host and a port, and nothing that an address would have before or after them.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/?#@\\%".utf8.contains($0) }
    }

    /// What git would ask with for a URL, with the path, which it sends where `credential.useHttpPath` is set.
    ///
    /// - Throws: `usage` for what is no address.
    package init(url: String) throws(Failure) {
        do {
            let (address, user) = try WebAddress.splittingUser(from: url)
            scheme = address.scheme
            host = address.hostAndPort
            path = address.pathSegments.isEmpty ? nil : String(address.path.dropFirst())
            username = user
        } catch { throw Failure(.usage, "\(error)", hint: "write an https address") }
    }

    package func understands(_ capability: String) -> Bool { capabilities.contains(capability) }

    // MARK: What is asked for

    /// - Returns: nil for what no token may go to: another protocol than https, or http beyond this machine.
    package func address() -> WebAddress? {
        guard let scheme, let host, scheme == "https" || scheme == "http" else { return nil }
        return try? WebAddress("\(scheme)://\(host)")
    }

    /// Nil for another host than Azure DevOps's. A path that leads up again names no organization.
    package var devOps: AzureDevOps? {
        let host = address()?.hostAndPort ?? ""
        let path = path.map { ProgramRequest(program: ProgramName.git.rawValue, path: $0).path ?? "" }
        return AzureDevOps(host: host, path: path, username: path == nil ? username : nil)
    }

    package func query(_ options: TokenOptions, _ environment: ProcessEnvironment) -> TokenQuery {
        let devOps = devOps
        var query = TokenQuery(
            options,
            ProgramRequest(
                .git, host: address()?.hostAndPort, path: path, organization: devOps?.organization, environment),
            devOps == nil ? .host : .azureDevOps)
        if devOps != nil { query.place.tenant = AzureDevOps.tenant(of: wwwAuthenticate) }
        return query
    }
}
