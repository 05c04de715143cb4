package import CommandSupport
package import Identity
package import SilentFirst
import StrictJSON
import Wire

/// What a registry takes for an access token: of Azure's kind an identity token, which docker exchanges for tokens of
/// single repositories; of others the access token itself.
package struct RegistryExchange: Sendable {
    /// A user by which docker knows that the secret is an identity token.
    package static let identityTokenUser = "<token>"

    private let transport: Transport

    package init(_ network: PublicClientApplication.NetworkSettings) {
        transport = Transport(
            TransportSettings(
                certificateFile: network.certificateFile, httpsProxy: network.httpsProxy, httpProxy: network.httpProxy,
                noProxy: network.noProxy, timeout: .seconds(network.timeout), product: network.productName))
    }

    package func close() async { await transport.close() }

    /// - Throws: `unavailable` where the registry does not answer, `serverError` where it refuses the token.
    package func credential(for token: IssuedToken, at registry: ContainerRegistry) async throws(Failure)
        -> (user: String, secret: Secret)
    {
        guard let (service, exchange) = try await challenge(of: registry) else {
            return (token.username.isEmpty ? "oauth2accesstoken" : token.username, token.secret)
        }
        let reply: HTTPReply
        let object: JSONObject
        do throws(WireError) {
            reply = try await transport.send(
                HTTPRequest(
                    exchange,
                    body: .form([
                        (name: "grant_type", value: "access_token"), (name: "service", value: service),
                        (name: "tenant", value: token.tenantID),
                        (name: "access_token", value: token.secret.reveal()),
                    ])))
            guard reply.status == 200 else { throw WireError.serverFailure(host: registry.host, status: reply.status) }
            object = try reply.object()
        } catch {
            var failure = Failure(error)
            if case .serverFailure(_, let status) = error, (400...499).contains(status), status != 429 {
                failure = Failure(
                    .serverError, "\(registry.host) does not take \(token.username)'s token (HTTP \(status))",
                    hint: "ask for the role AcrPull, or name another account in a rule")
            }
            throw failure
        }
        guard let secret = object["refresh_token"]?.string, !secret.isEmpty else {
            throw Failure(.untrustedResponse, "\(registry.host) has answered the exchange without a token")
        }
        return (Self.identityTokenUser, Secret(secret))
    }

    /// - Returns: the service and where the exchange is; nil for a registry that has none.
    private func challenge(of registry: ContainerRegistry) async throws(Failure) -> (String, WebAddress)? {
        var problem: WireError?
        for address in registry.addresses {
            let reply: HTTPReply
            do throws(WireError) { reply = try await transport.send(HTTPRequest(address)) } catch {
                problem = problem ?? error
                continue
            }
            for challenge in AuthenticationChallenge.read(reply.headers(named: "www-authenticate"))
            where challenge.scheme.asciiLowercased == "bearer" {
                // The token goes to the registry that was named, and to nobody whom it names.
                guard let realm = challenge["realm"].flatMap({ try? WebAddress($0) }), realm.isSameOrigin(as: address),
                    realm.path == "/oauth2/token", let service = challenge["service"],
                    let exchange = try? WebAddress(realm.origin + "/oauth2/exchange")
                else { continue }
                return (service, exchange)
            }
            return nil
        }
        throw problem.map { Failure($0) } ?? Failure(.usage, "\(registry.host) is no registry")
    }
}
