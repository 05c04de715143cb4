import Identity
import TOMLKit

extension SettingsSection {
    func behaviour() throws(Failure) -> ClientBehaviour {
        var behaviour = ClientBehaviour()
        behaviour.knownAuthorities = try texts("known_authorities")
        behaviour.endpoints.issuer = try address("issuer")?.text
        behaviour.extendedLifetime = try flag("extended_lifetime")
        behaviour.instanceAware = try flag("instance_aware")
        behaviour.proofOfPossession = try flag("proof_of_possession")
        behaviour.pushesRequests = try flag("pushed_requests")
        if let place = try address("post_logout_redirect_uri") {
            guard place.isLoopback, !place.isSecure, place.query == nil else {
                throw wrong(
                    "post_logout_redirect_uri", "post_logout_redirect_uri must be a loopback http URI",
                    write: "post_logout_redirect_uri = \"http://localhost\"")
            }
            behaviour.postLogoutRedirectURI = place.text
        }
        if let value = table["expiration_buffer"] {
            guard let seconds = value.int, (0...3600).contains(seconds) else {
                throw wrong(
                    "expiration_buffer", "expiration_buffer must be 0 to 3600 seconds",
                    write: "expiration_buffer = 300")
            }
            behaviour.expirationBuffer = seconds
        }
        behaviour.via = try word(
            "via", "sign-in method",
            write: "via = \"auto\" (or \(SignInMethod.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")))")
        guard let endpoints = try section("endpoints", write: "[\(name ?? "").endpoints]") else { return behaviour }
        try endpoints.refuseUnknown(ClientBehaviour.endpointNames.map(\.name))
        for (name, member) in ClientBehaviour.endpointNames {
            behaviour.endpoints[keyPath: member] = try endpoints.address(name)
        }
        return behaviour
    }
}
