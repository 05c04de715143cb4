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
        if let value = self["expiration_buffer"] {
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
        behaviour.clientSecret = try clientSecret()
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

    /// Where the client's secret is. No error contains the value of a setting that could be the secret itself.
    private func clientSecret() throws(Failure) -> ClientSecret? {
        let places = ["client_secret_file", "client_secret_command", "client_secret_public", "client_secret"]
        let set = places.filter(names.contains)
        guard let key = set.first else {
            guard names.contains("token_endpoint_auth_method") else { return nil }
            throw wrong(
                "token_endpoint_auth_method", "token_endpoint_auth_method is for a client with a secret",
                write: "client_secret_file = \"PATH\", or omit it")
        }
        guard set.count == 1 else {
            throw wrong(set[1], "\(key) and \(set[1]) cannot both be set", write: "one of them")
        }
        let source: ClientSecret.Source
        switch key {
        case "client_secret_file":
            guard let path = try text(key), path.hasPrefix("/") || path.hasPrefix("~/") else {
                throw wrong(key, "\(key) must be an absolute path", write: "\(key) = \"~/.config/foyer/secret\"")
            }
            source = .file(path)
        case "client_secret_command":
            let words = try texts(key)
            guard words.first?.isEmpty == false else {
                throw wrong(key, "\(key) has no program", write: "\(key) = [\"pass\", \"show\", \"NAME\"]")
            }
            source = .command(words)
        case "client_secret_public":
            guard let secret = ClientSecret.secret((try text(key) ?? "").utf8) else {
                throw wrong(key, "\(key) is not a client secret", write: "\(key) = \"…\"")
            }
            source = .published(secret)
        default:
            guard try text(key) == "kept" else {
                throw wrong(
                    key, "\(key) must be \"kept\"; the secret itself does not belong in this file",
                    write: "\(key) = \"kept\", then run: foyer secret set NAME")
            }
            source = .kept
        }
        let methods = ClientSecret.Method.allCases.map(\.rawValue).joined(separator: "\" or \"")
        return ClientSecret(
            source,
            method: try word(
                "token_endpoint_auth_method", "method", write: "token_endpoint_auth_method = \"\(methods)\""))
    }
}
