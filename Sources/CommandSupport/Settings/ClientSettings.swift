package import Identity
import SilentFirst
package import TOMLKit

// What a client does differently, as the settings file says it.

extension SettingsReader {
    package func behaviour(_ table: TOMLTable, at section: String) throws(Failure) -> ClientBehaviour {
        var behaviour = ClientBehaviour()
        behaviour.knownAuthorities = try strings("known_authorities", in: table, at: section)
        behaviour.endpoints.issuer = try address("issuer", in: table, at: section)?.text
        behaviour.extendedLifetime = try flag("extended_lifetime", in: table, at: section)
        behaviour.instanceAware = try flag("instance_aware", in: table, at: section)
        behaviour.proofOfPossession = try flag("proof_of_possession", in: table, at: section)
        behaviour.pushesRequests = try flag("pushed_requests", in: table, at: section)
        if let place = try address("post_logout_redirect_uri", in: table, at: section) {
            guard place.isLoopback, !place.isSecure, place.query == nil else {
                throw wrong(
                    line: line(of: "post_logout_redirect_uri", in: section),
                    "post_logout_redirect_uri is no http address of this machine",
                    write: "post_logout_redirect_uri = \"http://localhost\"")
            }
            behaviour.postLogoutRedirectURI = place.text
        }
        if let value = table["expiration_buffer"] {
            guard let seconds = value.int, (0...3600).contains(seconds) else {
                throw wrong(
                    line: line(of: "expiration_buffer", in: section), "expiration_buffer is no time",
                    write: "seconds from 0 to 3600")
            }
            behaviour.expirationBuffer = seconds
        }
        if let word = try string("via", in: table, at: section) {
            guard let method = SignInMethod(rawValue: word) else {
                throw wrong(
                    line: line(of: "via", in: section), "\"\(word)\" is no method",
                    write: "via = \"auto\" (or "
                        + SignInMethod.allCases.dropFirst().map(\.rawValue).joined(separator: ", ") + ")")
            }
            behaviour.via = method
        }
        guard let value = table["endpoints"] else { return behaviour }
        guard let endpoints = value.table else {
            throw wrong(
                line: line(of: "endpoints", in: section), "endpoints is not a table", write: "[\(section).endpoints]")
        }
        let place = section + ".endpoints"
        try refuseUnknown(in: endpoints, known: ClientBehaviour.endpointNames.map(\.name), at: place)
        for (name, member) in ClientBehaviour.endpointNames {
            behaviour.endpoints[keyPath: member] = try address(name, in: endpoints, at: place)
        }
        return behaviour
    }

    private func address(_ key: String, in table: TOMLTable, at section: String) throws(Failure) -> WebAddress? {
        guard let text = try string(key, in: table, at: section) else { return nil }
        do { return try WebAddress(text) } catch {
            throw wrong(line: line(of: key, in: section), error.description, write: "\(key) = \"https://…\"")
        }
    }

    package func flag(_ key: String, in table: TOMLTable, at section: String?) throws(Failure) -> Bool? {
        guard let value = table[key] else { return nil }
        guard let flag = value.bool else {
            throw wrong(line: line(of: key, in: section), "\(key) is neither true nor false", write: "\(key) = true")
        }
        return flag
    }
}
