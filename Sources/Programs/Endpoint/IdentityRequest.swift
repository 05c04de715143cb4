import CommandSupport
import Identity
import NIOHTTP1
import StrictJSON
import Wire

/// What a request at the managed-identity endpoint asks for.
struct IdentityRequest: Hashable, Sendable {
    /// Whose contract it is: each has its own form of answers.
    enum Contract: Hashable, Sendable {
        /// `GET /msi/token?api-version=2019-08-01&resource=…` with `X-IDENTITY-HEADER`, as App Service has it.
        case appService
        /// `POST /token?api-version=2023-07-12-preview` with a bearer key, as the Azure Developer CLI asks a host.
        case developerCLI
    }

    var contract: Contract
    var scopes: [String]
    /// App Service's `resource`, which the answer repeats.
    var resource = ""
    /// A client of the settings, a client ID, or an account.
    var identity: String?
    var tenant: String?
}

/// Why a request is not answered with a token: always a status of 4xx, since clients try again after a 5xx.
struct IdentityRefusal: Error, Hashable, Sendable {
    var status: Int
    var message: String
    var contract: IdentityRequest.Contract = .appService
}

/// Decides which requests are from a program that was given the secret, and reads them. Pure.
struct IdentityRequestReader: Sendable {
    let secret: Secret
    /// Nil at a Unix socket, which no browser reaches and where the host's name means nothing.
    let port: Int?

    static let appServicePath = "/msi/token"
    static let developerCLIPath = "/token"
    /// A browser sends the first two for a page, and a proxy the third for somebody else.
    private static let foreignHeaders = ["origin", "sec-fetch-site", "x-forwarded-for"]

    func read(_ head: HTTPRequestHead, body: [UInt8]) throws(IdentityRefusal) -> IdentityRequest {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let isDeveloperCLI = parts.first.map(String.init) == Self.developerCLIPath
        let contract: IdentityRequest.Contract = isDeveloperCLI ? .developerCLI : .appService
        func refusal(_ status: Int, _ message: String) -> IdentityRefusal {
            IdentityRefusal(status: status, message: message, contract: contract)
        }
        // DNS rebinding: a page's own name leads to this machine, and its requests bear that name.
        if let port {
            let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
            guard head.headers["host"].count == 1, hosts.contains(head.headers["host"][0].asciiLowercased) else {
                throw refusal(400, "the request is for another host")
            }
        }
        guard !Self.foreignHeaders.contains(where: head.headers.contains(name:)) else {
            throw refusal(403, "requests of browsers and proxies are not answered")
        }
        guard let path = parts.first, [Self.appServicePath, Self.developerCLIPath].contains(String(path)) else {
            throw refusal(404, "there is nothing at this path")
        }
        guard head.method == (isDeveloperCLI ? .POST : .GET) else { throw refusal(405, "another method is expected") }
        guard hasSecret(head.headers, isDeveloperCLI) else {
            throw refusal(401, "the secret of IDENTITY_HEADER is missing or wrong")
        }
        guard let fields = FormEncoding.decode(parts.count == 2 ? String(parts[1]) : "") else {
            throw refusal(400, "the query cannot be read")
        }
        do throws(Failure) { return isDeveloperCLI ? try developerCLI(body) : try appService(fields) } catch {
            throw refusal(400, error.message)
        }
    }

    private func hasSecret(_ headers: HTTPHeaders, _ isDeveloperCLI: Bool) -> Bool {
        let sent = headers[isDeveloperCLI ? "authorization" : "x-identity-header"]
        guard sent.count == 1 else { return false }
        guard isDeveloperCLI else { return Secret(sent[0]).isEqual(constantTime: secret) }
        let words = sent[0].split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].asciiLowercased == "bearer" else { return false }
        return Secret(String(words[1])).isEqual(constantTime: secret)
    }

    private func appService(_ fields: [String: String]) throws(Failure) -> IdentityRequest {
        guard fields["api-version"] == "2019-08-01" else {
            throw Failure(.usage, "only api-version=2019-08-01 is known")
        }
        guard let resource = fields["resource"], ScopeSet.isScope(resource) else {
            throw Failure(.usage, "resource is missing or cannot be one")
        }
        let identities = ["client_id", "object_id", "principal_id", "mi_res_id"].compactMap { fields[$0] }
        guard identities.count <= 1 else { throw Failure(.usage, "only one identity can be asked for") }
        return IdentityRequest(
            contract: .appService, scopes: [resource + "/.default"], resource: resource, identity: identities.first)
    }

    private func developerCLI(_ body: [UInt8]) throws(Failure) -> IdentityRequest {
        guard let value = try? JSONValue(parsing: body), let scopes = value["scopes"]?.array?.map(\.string),
            !scopes.isEmpty, scopes.allSatisfy({ $0.map(ScopeSet.isScope) ?? false })
        else { throw Failure(.usage, "scopes are missing or cannot be ones") }
        let tenant = value["tenantId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return IdentityRequest(contract: .developerCLI, scopes: scopes.compactMap(\.self), tenant: tenant)
    }
}
