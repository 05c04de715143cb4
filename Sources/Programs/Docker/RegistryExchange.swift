package import CommandSupport
package import Identity
import SilentCore
import SilentFirst
import StrictJSON
import Wire

/// Credentials of a registry for an access token. Azure registries take an identity token, which docker exchanges for
/// tokens of single repositories; others take the access token itself.
package struct RegistryExchange: Sendable {
    /// The username that tells docker that the secret is an identity token.
    package static let identityTokenUser = "<token>"

    private let transport: Transport

    package init(_ network: NetworkSettings) { transport = Transport(network) }

    package func close() async { await transport.close() }

    /// - Throws: `unavailable` if the registry does not respond, `serverError` if it rejects the token.
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
                    .serverError, "\(registry.host) rejected \(token.username)'s token (HTTP \(status))",
                    hint: "request the AcrPull role, or set another account in a rule")
            }
            throw failure
        }
        guard let secret = object["refresh_token"]?.string, !secret.isEmpty else {
            throw Failure(.untrustedResponse, "\(registry.host) returned no token")
        }
        return (Self.identityTokenUser, Secret(secret))
    }

    /// - Returns: the service and the URL of the exchange; nil if the registry has none.
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
                // Send the token only to the registry itself, not to another host in its challenge.
                guard let realm = challenge["realm"].flatMap({ try? WebAddress($0) }), realm.isSameOrigin(as: address),
                    realm.path == "/oauth2/token", let service = challenge["service"],
                    let exchange = try? WebAddress(realm.origin + "/oauth2/exchange")
                else { continue }
                return (service, exchange)
            }
            return nil
        }
        throw problem.map { Failure($0) } ?? Failure(.usage, "\(registry.host) is not a registry")
    }
}
