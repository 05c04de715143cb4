package import FoundationEssentials
package import Identity
import StrictJSON

/// A device authorization response, RFC 8628 section 3.2.
package struct DeviceAuthorization: Sendable {
    package let deviceCode: Secret
    package let prompt: DeviceCodePrompt
}

/// The device authorization request, RFC 8628 section 3.1.
package enum DeviceCode {
    /// - Parameters:
    ///   - authentication: nil for a public client.
    ///   - reservedScopes: chosen ones of `openid`, `profile` and `offline_access`; `openid` is always sent. Nil for
    ///     all three.
    /// - Throws: `unsupported` without an endpoint, `refused` by the provider, `untrusted` for malformed codes.
    package static func request(
        metadata: ProviderMetadata, clientID: String, authentication: ClientAuthentication? = nil, scopes: ScopeSet,
        reservedScopes: ScopeSet? = nil, claims: String?, resource: String? = nil, isEntra: Bool,
        correlationID: UUID, now: Date, transport: Transport
    ) async throws(WireError) -> DeviceAuthorization {
        guard let endpoint = metadata.device else { throw .unsupported("the provider has no device sign-in") }
        var fields: [(name: String, value: String)] = [("client_id", clientID)]
        let wanted = TokenEndpoint.wireScopes(scopes, reserved: reservedScopes, metadata, isEntra: isEntra)
        if !wanted.isEmpty { fields.append(("scope", wanted)) }
        if let resource { fields.append(("resource", resource)) }
        if let claims { fields.append(("claims", claims)) }
        var request = HTTPRequest(
            endpoint, body: .form(fields),
            headers: isEntra ? TokenEndpoint.entraHeaders(correlationID, product: transport.product, anchor: nil) : [])
        request.authenticate(clientID, authentication)
        let reply = try await transport.send(request)
        try reply.requireService()
        guard reply.status == 200 else { throw .refused(try OAuthError(answer: reply, isRefresh: false)) }
        let object = metadata.isOAuthOnly ? try reply.objectOrForm() : try reply.object()
        if object["device_code"] == nil, let error = OAuthError(object: object, of: reply) {
            throw .refused(error.standard(isRefresh: false))
        }
        return try read(object, now: now, mayBeInsecure: endpoint.isLoopback)
    }

    private static func read(_ object: JSONObject, now: Date, mayBeInsecure: Bool) throws(WireError)
        -> DeviceAuthorization
    {
        guard let device = object["device_code"]?.string, AuthorizationAnswer.isCode(device),
            let code = object["user_code"]?.string,
            isUserCode(code)
        else { throw .untrusted(check: .deviceCode, detail: "missing or malformed codes") }
        // Some providers still send verification_url, or unescaped spaces.
        guard let text = (object["verification_uri"] ?? object["verification_url"])?.string else {
            throw .untrusted(check: .deviceCode, detail: "no verification_uri")
        }
        let address: WebAddress
        do { address = try webAddress(text, mayBeInsecure) } catch {
            throw .badEndpoint(name: "verification_uri", error)
        }
        // Drop a complete URL that is not allowed or has another origin than the one that the user can compare; the
        // code is enough (RFC 8628 section 3.3.1).
        let complete = object["verification_uri_complete"]?.string.flatMap { try? webAddress($0, mayBeInsecure) }
            .flatMap { $0.isSameOrigin(as: address) ? $0 : nil }
        let expiresIn = seconds(object["expires_in"], least: 1, most: 86_400) ?? 900
        return DeviceAuthorization(
            deviceCode: Secret(device),
            prompt: DeviceCodePrompt(
                userCode: code, verificationURI: address, verificationURIComplete: complete, startedAt: now,
                expiresAt: now.addingTimeInterval(TimeInterval(expiresIn)),
                interval: seconds(object["interval"], least: 1, most: 600) ?? 5)
        )
    }

    private static func webAddress(_ text: String, _ mayBeInsecure: Bool) throws(WebAddress.Problem) -> WebAddress {
        let address = try WebAddress(text.replacing(" ", with: "%20"))
        guard address.isSecure || mayBeInsecure else { throw .insecure }
        return address
    }

    /// Displayed unchanged, so limited to letters, digits and dashes, at most 64.
    private static func isUserCode(_ code: String) -> Bool {
        !code.isEmpty && code.utf8.count <= 64
            && code.utf8.allSatisfy {
                $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
    }

    private static func seconds(_ value: JSONValue?, least: Int, most: Int) -> Int? {
        guard let value, let number = value.double ?? value.string.flatMap({ $0.utf8.count <= 10 ? Double($0) : nil }),
            number.isFinite
        else { return nil }
        return Int(min(max(number, Double(least)), Double(most)))
    }
}
