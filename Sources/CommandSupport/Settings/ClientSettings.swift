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
        behaviour.account = try accountEndpoint()
        guard let endpoints = try section("endpoints", write: "[\(name ?? "").endpoints]") else { return behaviour }
        try endpoints.refuseUnknown(ClientBehaviour.endpointNames.map(\.name))
        for (name, member) in ClientBehaviour.endpointNames {
            behaviour.endpoints[keyPath: member] = try endpoints.address(name)
        }
        return behaviour
    }

    private func accountEndpoint() throws(Failure) -> AccountEndpoint? {
        let (field, name) = (try text("account_field"), try text("account_name_field"))
        guard let address = try self.address("account_url") else {
            guard field == nil, name == nil else {
                throw wrong(
                    field == nil ? "account_name_field" : "account_field", "there is no account_url",
                    write: "account_url = \"https://…\"")
            }
            return nil
        }
        guard address.isSecure || address.isLoopback else {
            throw wrong(
                "account_url", "account_url gets an access token, so it must be https",
                write: "account_url = \"https://…\""
            )
        }
        guard let field, !field.isEmpty else {
            throw wrong(
                "account_url", "account_url needs the field that identifies the account",
                write: "account_field = \"id\"")
        }
        return AccountEndpoint(address, identifier: field, username: name)
    }
}
