import Identity
import NIOHTTP1
import StrictJSON
import Wire

struct IdentityRequest: Hashable, Sendable {
    enum Contract: Hashable, Sendable {
        /// App Service: `GET /msi/token?api-version=2019-08-01&resource=…` with `X-IDENTITY-HEADER`.
        case appService
        /// Instance metadata, with the secret in the path: `GET /msi/token/SECRET?api-version=2018-02-01&resource=…`.
        /// Terraform sends no header of its own.
        case instanceMetadata
        /// Azure Developer CLI: `POST /token?api-version=2023-07-12-preview` with a bearer key.
        case developerCLI
    }

    var contract: Contract
    var scopes: [String]
    /// A managed identity's `resource`, repeated in the response.
    var resource = ""
    /// A client name from the settings, a client ID, or an account.
    var identity: String?
    var tenant: String?
}

/// Why a request gets no token: always 4xx, as clients retry after a 5xx.
struct IdentityRefusal: Error, Hashable, Sendable {
    var status: Int
    var message: String
    var contract: IdentityRequest.Contract = .appService
}

/// Accepts only requests that carry the secret, and parses them. No side effects.
struct IdentityRequestReader: Sendable {
    let secret: Secret
    /// Nil for a Unix socket: browsers cannot reach it, and the Host header has no meaning there.
    let port: Int?

    static let appServicePath = "/msi/token"
    static let developerCLIPath = "/token"

    func read(_ head: HTTPRequestHead, body: [UInt8]) throws(IdentityRefusal) -> IdentityRequest {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        let contract = Self.contract(of: path)
        func refusal(_ status: Int, _ message: String) -> IdentityRefusal {
            IdentityRefusal(status: status, message: message, contract: contract ?? .appService)
        }
        // DNS rebinding: a web page's own name resolves to this machine, and is in the Host header.
        if let port {
            let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
            guard head.headers["host"].count == 1, hosts.contains(head.headers["host"][0].asciiLowercased) else {
                throw refusal(400, "the request is for another host")
            }
        }
        guard !head.headers.contains(where: { ForeignHeaders.contains($0.name) }) else {
            throw refusal(403, "requests from browsers and proxies are refused")
        }
        guard let contract else { throw refusal(404, "not found") }
        guard head.method == (contract == .developerCLI ? .POST : .GET) else {
            throw refusal(405, "method not allowed")
        }
        guard hasSecret(head.headers, path, contract) else {
            throw refusal(401, "the secret of IDENTITY_HEADER is missing or wrong")
        }
        guard let fields = FormEncoding.decode(parts.count == 2 ? String(parts[1]) : "") else {
            throw refusal(400, "malformed query")
        }
        do throws(Failure) {
            return contract == .developerCLI ? try developerCLI(body) : try managedIdentity(fields, contract)
        } catch {
            throw refusal(400, error.message)
        }
    }

    private static func contract(of path: String) -> IdentityRequest.Contract? {
        switch path {
        case developerCLIPath: .developerCLI
        case appServicePath: .appService
        default:
            path.hasPrefix(appServicePath + "/") && !path.dropFirst(appServicePath.count + 1).contains("/")
                ? .instanceMetadata : nil
        }
    }

    private func hasSecret(_ headers: HTTPHeaders, _ path: String, _ contract: IdentityRequest.Contract) -> Bool {
        guard contract != .instanceMetadata else {
            return Secret(String(path.dropFirst(Self.appServicePath.count + 1))).isEqual(constantTime: secret)
        }
        let sent = headers[contract == .developerCLI ? "authorization" : "x-identity-header"]
        guard sent.count == 1 else { return false }
        guard contract == .developerCLI else { return Secret(sent[0]).isEqual(constantTime: secret) }
        let words = sent[0].split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].asciiLowercased == "bearer" else { return false }
        return Secret(String(words[1])).isEqual(constantTime: secret)
    }

    private func managedIdentity(
        _ fields: [String: String], _ contract: IdentityRequest.Contract
    ) throws(Failure) -> IdentityRequest {
        let version = contract == .appService ? "2019-08-01" : "2018-02-01"
        guard fields["api-version"] == version else {
            throw Failure(.usage, "only api-version=\(version) is supported")
        }
        guard let resource = fields["resource"], ScopeSet.isScope(resource) else {
            throw Failure(.usage, "missing or invalid resource")
        }
        let identities = ["client_id", "object_id", "principal_id", "mi_res_id"].compactMap { fields[$0] }
        guard identities.count <= 1 else { throw Failure(.usage, "give only one identity") }
        return IdentityRequest(
            contract: contract, scopes: [resource + "/.default"], resource: resource, identity: identities.first)
    }

    private func developerCLI(_ body: [UInt8]) throws(Failure) -> IdentityRequest {
        guard let value = try? JSONValue(parsing: body), let scopes = value["scopes"]?.array?.map(\.string),
            !scopes.isEmpty, scopes.allSatisfy({ $0.map(ScopeSet.isScope) ?? false })
        else { throw Failure(.usage, "missing or invalid scopes") }
        let tenant = value["tenantId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return IdentityRequest(contract: .developerCLI, scopes: scopes.compactMap(\.self), tenant: tenant)
    }
}
